"""The command that serves agents and programs over HTTP."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import asked, command
from mnemopi.errors import UsageError


@command(
    "serve",
    examples=(
        "mnemopi serve",
        "mnemopi --bank work serve --port 9000",
        "mnemopi serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
    ),
)
@click.option("--host", metavar="ADDRESS", help="Listen at this address [default: 127.0.0.1].")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen at this port; 0: any free one [default: 8377].")
@click.option("--tls-cert", metavar="FILE", help="Certificate (PEM): the server speaks HTTPS.")
@click.option("--tls-key", metavar="FILE", help="Key of the certificate, where it is a file of its own.")
@click.option("--insecure-bind", is_flag=True, help="Listen beyond this machine without TLS: behind a proxy.")
@click.option("--tools", metavar="SET", help="full, core, or names separated by commas [default: full].")
def serve(
    context: click.Context,
    host: str | None,
    port: int | None,
    tls_cert: str | None,
    tls_key: str | None,
    insecure_bind: bool,
    tools: str | None,
) -> None:
    """Serve agents and programs over HTTP.

    MCP at /mcp, REST at /api/v1, described by /api/v1/openapi.json. Each request needs a token: the owner's lies in
    the data folder, `mnemopi token` makes others. Where to find both is printed to standard error.
    """
    wanted = asked(context)
    if wanted.json:
        raise UsageError("--json says nothing here: nothing is printed but where the server is")
    given = {"http.host": host, "http.port": port, "http.tls_cert": tls_cert, "http.tls_key": tls_key}
    settings = opening.config(wanted).changed({name: value for name, value in given.items() if value is not None})
    bank = None if wanted.bank is None else opening.bank_name(wanted, settings)
    from mnemopi.http import process  # noqa: PLC0415 -- a web server, which no other command needs

    process.serve(
        settings,
        wanted.db,
        bank,
        tools or settings.mcp.tools,
        insecure=insecure_bind,
        tell=lambda text: output.note(wanted, text),
    )
