"""What the relay itself says to KakaoTalk users: commands and pairing. What operators may word anew is in settings."""

from pabal.platform.language.pairs import Pair

HELP: Pair = (
    "/pair CODE connects you to an assistant.\n/unpair ends that.\n/status shows whom you are connected to.\n"
    "/code says where codes come from.\nEverything else goes to your assistant.",
    "/pair 코드: 비서와 연결합니다.\n/unpair: 연결을 끊습니다.\n/status: 누구와 연결됐는지 봅니다.\n"
    "/code: 코드를 받는 방법을 봅니다.\n그 밖의 말은 모두 비서에게 전달됩니다.",
)
CODE: Pair = (
    "Your assistant shows you a code such as ABCD-2345. Send it here as: /pair ABCD-2345",
    "코드는 비서 쪽 화면에 ABCD-2345처럼 나옵니다. 여기에 '/pair ABCD-2345'처럼 보내 주세요.",
)
PAIRED: Pair = (
    "Connected to {account}. Just write what you want to say.",
    "{account}에 연결됐습니다. 이제 하고 싶은 말을 보내세요.",
)
ASKED: Pair = (
    "The code is right. {account} wants to approve the connection first; you will be able to talk after that.",
    "코드를 확인했습니다. {account} 담당자가 승인하면 이야기할 수 있습니다.",
)
UNPAIRED: Pair = (
    "The connection has ended. Send /pair and a code to connect again.",
    "연결을 끊었습니다. 다시 연결하려면 '/pair 코드'를 보내세요.",
)
NOT_PAIRED: Pair = ("You are not connected to anybody.", "연결된 비서가 없습니다.")
STATUS_PAIRED: Pair = ("You are connected to {account}.", "{account}에 연결되어 있습니다.")
STATUS_PENDING: Pair = (
    "Your connection to {account} waits for approval.",
    "{account} 연결이 승인을 기다리고 있습니다.",
)
NO_CODE: Pair = (
    "Send the code behind it, as in: /pair ABCD-2345",
    "코드를 함께 보내 주세요. 예: /pair ABCD-2345",
)
WRONG: Pair = (
    "There is no such code. Check it and send it once more; {left} tries are left.",
    "그런 코드가 없습니다. 다시 확인해서 보내 주세요. {left}번 더 해 볼 수 있습니다.",
)
WRONG_LETTERS: Pair = (
    "There is no such code. Codes have no 0, O, 1 or I: look at those letters again. {left} tries are left.",
    "그런 코드가 없습니다. 코드에는 0, O, 1, I가 없으니 그 글자를 다시 확인해 주세요. {left}번 더 해 볼 수 있습니다.",
)
EXPIRED: Pair = (
    "This code is over. Ask your assistant for a new one.",
    "유효 시간이 지난 코드입니다. 새 코드를 받아 주세요.",
)
USED: Pair = ("This code was used already. Ask for a new one.", "이미 사용한 코드입니다. 새 코드를 받아 주세요.")
REVOKED: Pair = ("This code was withdrawn. Ask for a new one.", "취소된 코드입니다. 새 코드를 받아 주세요.")
SWITCHED_OFF: Pair = (
    "The assistant of this code is switched off. Ask whoever gave it to you.",
    "이 코드의 비서는 꺼져 있습니다. 코드를 준 사람에게 문의해 주세요.",
)
TOO_MANY: Pair = (
    "Too many wrong codes. You can try again in {minutes} minutes.",
    "틀린 코드를 너무 많이 보냈습니다. {minutes}분 뒤 다시 해 보세요.",
)
ALREADY: Pair = (
    "You are connected to {account} already. Send /unpair first if you want another.",
    "이미 {account}에 연결되어 있습니다. 바꾸려면 먼저 /unpair를 보내세요.",
)
ALREADY_PENDING: Pair = (
    "Your connection to {account} waits for approval. Send /unpair if you want another.",
    "{account} 연결이 승인을 기다리고 있습니다. 바꾸려면 먼저 /unpair를 보내세요.",
)
