import type { Outbound } from '../protocol.ts';
import type { ProtocolId } from '../protocol-id.ts';

/**
 * The passing pipe of a language that no caller speaks: its answers are always translated, so nothing may ask for it.
 */
export const neverPassed =
  (id: ProtocolId): Outbound['openPipe'] =>
  () => {
    throw new Error(`answers in ${id} are translated and never passed`);
  };
