/** Text that was delivered and is to be counted. */
export interface DeliveredText {
  /** Visible output since the last call, tool arguments included. */
  output: string;
  reasoning: string;
  /**
   * Tool calls begun since the last call; each costs a few tokens beyond its text
   * (docs/compatibility.md#token-counting).
   */
  toolCalls: number;
  /** Characters produced beyond what is kept between two calls (about a million); 0 where text is taken regularly. */
  omitted: number;
  /** Images and sound; absent where there was none. */
  media?: DeliveredMedia;
}

/** Images and sound among the text of an answer, by what their vendors make of them. */
export interface DeliveredMedia {
  /** Output tokens of images, by their vendor's table. */
  imageTokens: number;
  /** The length of sound; where its bytes do not tell it, the longest that it can be. */
  soundSeconds: number;
}
