/** Text that was delivered and must be counted. */
export interface DeliveredText {
  /** Visible output since the last call, tool arguments included. */
  output: string;
  reasoning: string;
  /**
   * Tool calls begun since the last call; each costs a few tokens beyond its text
   * (docs/compatibility.md#token-counting).
   */
  toolCalls: number;
  /** Characters beyond the limit of text between two calls (about a million); 0 if text is taken regularly. */
  omitted: number;
  /** Images and sound; absent without any. */
  media?: DeliveredMedia;
}

/** Images and sound in the text of an answer, by media kind. */
export interface DeliveredMedia {
  /** Output tokens of images, by their vendor's table. */
  imageTokens: number;
  /** The length of sound; the maximum if its bytes do not show it. */
  soundSeconds: number;
}
