from mnemopi.retrieval import naming


def test_names_are_taken_out_of_what_is_embedded_unless_nothing_is_left() -> None:
    assert naming.without_names("What did Mira's team deploy?", ["Mira"]) == "What did team deploy?"
    assert naming.without_names("Mira?", ["Mira"]) == "Mira?"
    assert naming.without_names("What now?", []) == "What now?"
