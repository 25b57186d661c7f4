"""The assistant of a shop, guarded: `python3 guarded.py [--stream] <question>`."""

import os
import sys
import uuid

from guard import BlockedError, Guard, UnavailableError
from model import ask, ask_streaming

guard = Guard(
    url=os.environ["RUNTIME_URL"],
    token=os.environ["RUNTIME_TOKEN"],
    # More than the default of 5 s, for busy laptops.
    timeout=30,
    context={"agent_id": "shop-assistant"},
)


def main(question: str, is_streamed: bool) -> None:
    # One conversation of one person: placeholders belong to it, and `restore` puts the originals back into the answers.
    chat = guard.session(str(uuid.uuid4()), restore=True)
    try:
        text = chat.input(question).text
        print(f"(the model reads: {text})", file=sys.stderr)
        if is_streamed:
            for piece in chat.stream(ask_streaming(text)):
                print(piece, end="", flush=True)
            print()
        else:
            print(chat.output(ask(text)).text)
    except BlockedError as error:
        print(f"[blocked at {error.stage}] {error}")
    except UnavailableError:
        print("Please try again in a moment.")
        sys.exit(1)


main(sys.argv[-1], is_streamed="--stream" in sys.argv[1:-1])
