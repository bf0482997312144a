/** What the answer to a new drawing says by a number. */
export const drawingCode = {
  submitted: 1,
  noAccount: 3,
  requestError: 4,
  exists: 21,
  queued: 22,
  queueFull: 23,
  bannedWord: 24,
  busy: 30,
} as const;
