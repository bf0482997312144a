/** Tokens of everything that is neither text nor an image (docs/compatibility.md#token-counting). */
export const partTokens = { audio: 100, file: 5_000, video: 5_000 };

/** Tokens of a conversation beyond its text: each message, its name, the start of the answer, the tools. */
export const messageTokens = { each: 3, name: 1, reply: 3, tools: 8 };
