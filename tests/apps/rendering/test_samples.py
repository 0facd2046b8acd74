import pytest

from pabal.apps.rendering.model.compositions import place_in
from pabal.apps.rendering.model.gfx import parse
from pabal.apps.rendering.model.mapping import assign, warnings_of
from pabal.apps.rendering.model.mapping_files import read_json, to_csv
from pabal.apps.rendering.model.nexjob import build
from pabal.apps.rendering.model.preflight import Observed, judge
from pabal.apps.rendering.samples import sample_compositions, sample_csv, sample_gfx, sample_json


@pytest.mark.req("B-10")
def test_26_compositions_and_84_fields_can_be_imported():
    sample = sample_compositions()

    assert sample.findings == ()
    assert (len(sample.compositions), len(sample.mappings)) == (26, 84)
    assert {row.composition_id for row in sample.mappings} == {one.id for one in sample.compositions}


def test_csv_and_json_hold_the_same():
    sample = sample_compositions()

    assert read_json(sample_json()) == sample
    assert to_csv(sample.compositions, sample.mappings).splitlines() == sample_csv().splitlines()


@pytest.mark.parametrize("composition", sample_compositions().compositions, ids=lambda one: one.id)
def test_the_sample_data_of_each_fills_every_field_and_can_be_sent(composition):
    placed = place_in(composition, "D:/templates")

    assigned = assign(parse(sample_gfx(composition.id)), placed, sample_compositions().mappings)

    assert warnings_of(assigned.report) == []
    assert judge(assigned, placed, Observed()) == []
    job = build("rq-1-a1", placed, assigned, output="D:/output/job_1.mp4")
    assert job["assets"]
    assert all(asset.get("value", "x") and asset.get("expression", "x") for asset in job["assets"])


def test_pictures_of_the_samples_stand_in_the_folder_that_is_named():
    assert sample_gfx("player-card", pictures="/srv/pictures")["single_fields"]["photo"].startswith("/srv/pictures/")
