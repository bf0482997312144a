import { price, type PriceSnapshot, type Usage } from '@tollgate/contract';
import type { ConsumeFacts } from '../../services/metering/index.ts';
import type { Try } from '../failover/index.ts';
import type { Admission, RelayCall } from '../call/index.ts';
import { callerFacts } from '../settle/index.ts';
import type { SessionEndReason } from './end.ts';
import type { SessionDeps } from './session-deps.ts';

/** What stays the same over a session. */
export interface SessionContext {
  relayCall: RelayCall;
  admission: Admission;
  channelId: number;
  upstreamModel: string;
  tries: readonly Try[];
}

/** One thing to be charged. Times are Unix ms. */
export interface Spend {
  requestId: string;
  usage: Usage;
  source: 'upstream' | 'counted' | 'estimated';
  endReason: SessionEndReason;
  startedAt: number;
  /** 0 when no byte came. */
  firstByteAt: number;
  /** The model that is paid for, at its own price; the session's where this is absent. */
  other?: { model: string; snapshot: PriceSnapshot };
}

/** What the charge of one response is made of: that of a call, and the name of the session. */
export function factsOf(
  { clock }: Pick<SessionDeps, 'clock'>,
  { relayCall, admission, channelId, upstreamModel, tries }: SessionContext,
  spend: Spend,
): ConsumeFacts {
  const snapshot = spend.other?.snapshot ?? admission.snapshot;
  const bill = price(spend.usage, snapshot);
  return {
    requestId: spend.requestId,
    ...callerFacts(relayCall.caller),
    group: admission.group,
    model: spend.other?.model ?? relayCall.facts.model,
    upstreamModel: spend.other?.model ?? upstreamModel,
    isStream: true,
    channelId,
    tries,
    usage: spend.usage,
    usageSource: spend.source,
    bill,
    snapshot,
    endReason: spend.endReason,
    realtimeSession: relayCall.requestId,
    startedAt: spend.startedAt,
    firstByteAt: spend.firstByteAt,
    endedAt: clock(),
  };
}
