import type { Outbound, ProtocolId } from '../types/index.ts';

/**
 * The passing pipe of a protocol that no caller uses: its answers are always translated, so it must never be used.
 */
export const unsupportedPassing =
  (id: ProtocolId): Outbound['openPipe'] =>
  () => {
    throw new Error(`answers in ${id} are translated and never passed`);
  };
