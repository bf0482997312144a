/** How long callers may take, in ms; the server of tests obeys the same. */
export const serverTimes = {
  /** A caller that sends its head or body slower than this is not served. */
  headersTimeout: 60_000,
  requestTimeout: 300_000,
  /**
   * Longer than proxies keep a connection: of two that close one, the server is the later, so that no request meets a
   * closed one.
   */
  keepAliveTimeout: 75_000,
} as const;
