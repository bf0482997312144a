import { price, type PriceSnapshot, type Usage } from '@tollgate/contract';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import { callerFacts } from '../settle/index.ts';
import type { SessionEndReason } from './end.ts';
import type { Admission, AttemptRecord, GatewayDeps, RelayCall } from '../call/index.ts';

/** The data of a session that do not change. */
export interface SessionContext {
  relayCall: RelayCall;
  admission: Admission;
  channelId: number;
  upstreamModel: string;
  tries: readonly AttemptRecord[];
}

/** One charge. Times are Unix ms. */
export interface Spend {
  requestId: string;
  usage: Usage;
  source: 'upstream' | 'counted' | 'estimated';
  endReason: SessionEndReason;
  startedAt: number;
  /** 0 if there was no byte. */
  firstByteAt: number;
  /** The model that is charged, at its own price; that of the session if absent. */
  other?: { model: string; snapshot: PriceSnapshot };
}

/** The data of one response's charge: those of a call, and the name of the session. */
export function factsOf(
  { clock }: Pick<GatewayDeps, 'clock'>,
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
    pricedModel: spend.other?.model ?? admission.pricedModel,
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
