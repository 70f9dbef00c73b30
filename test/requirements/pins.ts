import { from } from "./requirement.ts";

export const pins = [
  ...from("pins", {
    "pins.verbatim":
      "Pins are shown verbatim and first, outside the notepad's share, in every placement, and are never shortened.",
    "pins.budget": "Pins have a budget of their own; a pin that does not fit is refused with what would fit.",
    "pins.edit":
      "pin, unpin and list_pins keep, remove and list pins; an edit can be undone within the budget.",
    "pins.fence": "A pin cannot forge the end of its block, and parses back to what was written.",
    "pins.found":
      "At a compaction at least 95 % of the rules that the user has stated are kept in the user's words; those that say never, always, must or do not are marked as found.",
    "pins.told":
      "Rules that users tell in their own way, in passing and corrected later, are kept in their last form, also where no weight was fitted on them.",
    "pins.ordinary":
      "Questions, fault reports, tasks, logs, quotations, code and pasted documents are no rules: at most one false find in ten ordinary sessions.",
    "pins.corrected": "Of a corrected rule only the last form is kept, whenever the correction came.",
    "pins.lasting": "Found rules are there ten compactions later; a dropped one is not found again.",
    "pins.linear": "Finding rules takes time linear in the text, whatever it contains.",
    "pins.hosts":
      "After a compaction in a host, pins and found rules come first in what the host puts before the model.",
    "pins.removal":
      "Only a person removes a person's pin: an agent that unpins or undoes it gets an error with the next step.",
    "pins.people": "People pin, list and unpin with holdfast pin and unpin, /pin in chat, and the HTTP API.",
    "pins.receipt":
      "The receipt is checked against the next request as sent and says in which call; one changed byte is an error event and stored as a mismatch.",
  }),
];
