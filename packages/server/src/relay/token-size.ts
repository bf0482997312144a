/** Tokens that stand for what is neither text nor an image (docs/compatibility.md#token-counting). */
export const partTokens = { audio: 100, file: 5_000, video: 5_000 };

/** Tokens that a conversation costs beyond its words: each message, its name, the answer's beginning, the tools. */
export const messageTokens = { each: 3, name: 1, reply: 3, tools: 8 };
