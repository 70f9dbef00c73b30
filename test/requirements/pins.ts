import { from } from "./requirement.ts";

export const pins = [
  ...from("pins", {
    "pins.verbatim":
      "Pins are shown verbatim and first, outside the notepad's share, in every placement, and are never shortened.",
    "pins.budget": "Pins have a budget of their own; a pin that does not fit is refused with what would fit.",
    "pins.edit":
      "pin, unpin and list_pins keep, remove and list pins; an edit can be undone within the budget.",
    "pins.fence": "A pin cannot forge the end of its block, and parses back to what was written.",
    "pins.hosts": "After a compaction in a host, pins come first in what the host puts before the model.",
    "pins.removal":
      "Only a person removes a person's pin: an agent that unpins or undoes it gets an error with the next step.",
    "pins.people": "People pin, list and unpin with holdfast pin and unpin, /pin in chat, and the HTTP API.",
    "pins.project":
      "What the user pins holds for the project: in every open conversation and in every later one, until the user unpins it. --session pins in one conversation.",
    "pins.receipt":
      "The receipt is checked against the next request as sent and says in which call; one changed byte is an error event and stored as a mismatch.",
  }),
];
