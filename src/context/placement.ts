/** Where memory goes: frozen with changes at the end, in the system prompt, or before the newest user message. */
export type Placement = (typeof placements)[number];

export const placements = ["epoch", "system", "message"] as const;
