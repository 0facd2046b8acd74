// A drawing wider than its box begins where the subject is now:  <div class="pb-scrollx"><svg class="pb-machine">…
for (const now of document.querySelectorAll(".pb-scrollx > .pb-machine .node.now")) {
  const box = now.closest(".pb-scrollx");
  const state = now.getBoundingClientRect();
  const seen = box.getBoundingClientRect();
  box.scrollLeft += state.left + state.width / 2 - (seen.left + seen.width / 2);
}
