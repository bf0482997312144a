/** Options of a pool of connections to a database server. */
export interface PoolOptions {
  maxConnections: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Maximum pause between two statements of a transaction before the server ends it and frees its locks. */
  idleTransactionMs: number;
  /**
   * Maximum silence of a connection in use (`SilenceLimit`): longer than a transaction may pause; by default five
   * seconds longer.
   */
  silenceMs?: number | undefined;
  /** Called when a connection broke; work on it fails separately. */
  onConnectionError: (error: Error) => void;
}
