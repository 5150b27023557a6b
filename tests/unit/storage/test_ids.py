from mnemopi.storage import ids


def test_ids_are_hexadecimal_digits_and_no_two_are_alike() -> None:
    made = {ids.new() for _ in range(1000)}
    assert len(made) == 1000
    assert all(len(bytes.fromhex(id)) == 8 for id in made)
    assert len(ids.new(32)) == 64
