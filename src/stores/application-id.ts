/** "Hold" in ASCII; identifies a SQLite file as ours. */
export const applicationId = 0x486f6c64;
