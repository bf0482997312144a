import type { PriceSnapshot } from '@tollgate/contract';
import type { ServerEvent } from '../../relay/realtime/events.ts';
import { countSuccess } from '../entrance/index.ts';
import { bookingOf } from '../settle/index.ts';
import { factsOf, type SessionContext, type Spend } from './charge.ts';
import type { SessionEndReason } from './end.ts';
import type { GatewayDeps } from '../call/index.ts';
import type { SessionHold } from './session-hold.ts';
import type { Counted, SessionMeter } from './session-meter.ts';

type Answered = Extract<ServerEvent, { kind: 'done' }>;
type Transcribed = Extract<ServerEvent, { kind: 'transcribed' }>;

interface BillingParts {
  deps: Pick<
    GatewayDeps,
    'rate' | 'clock' | 'pricing' | 'log' | 'logsConsumption' | 'sumsHourly' | 'costOf' | 'onSettled'
  >;
  context: SessionContext;
  sessionHold: SessionHold;
}

/** The number of charged responses and transcripts that are remembered, in case an upstream sends an end again. */
const maxRemembered = 64;

/** Charges completed responses of a session, and what was left when the session ended. */
export class SessionBilling {
  /** The model that transcribes the caller's speech; undefined if none does. */
  transcriptionModel: string | undefined;
  private readonly parts: BillingParts;
  private readonly sessionMeter: SessionMeter;
  /** Ids of the responses, and of the speech with a transcript, that were charged last. */
  private readonly charged = new Set<string>();

  constructor(parts: BillingParts, sessionMeter: SessionMeter) {
    this.parts = parts;
    this.sessionMeter = sessionMeter;
  }

  /** Resolves when the charge is durable; false when the balance did not cover it. */
  charge(event: Answered | Transcribed): Promise<boolean> {
    return event.kind === 'done' ? this.chargeResponse(event) : this.chargeTranscript(event);
  }

  private async chargeResponse({ responseId, status, usage }: Answered): Promise<boolean> {
    const { deps, context } = this.parts;
    const counted = await this.sessionMeter.finish(responseId, usage);
    // The upstream sent the same end twice: nothing was delivered since the first was charged.
    if (!counted.wasAnnounced && this.charged.has(responseId)) return true;
    const isWhole = status === 'completed' || status === 'incomplete';
    if (isWhole) countSuccess(deps.rate, context.relayCall.caller, context.admission.group);
    // If nothing was delivered and nothing reported, it is free.
    if (!usage && !counted.isDelivered) return true;
    this.rememberCharged(responseId);
    return this.settle({
      ...(usage ? ({ usage, source: 'upstream' } as const) : this.ownUsage(counted)),
      endReason: status === 'failed' ? 'upstream_error' : 'complete',
      startedAt: counted.startedAt,
      firstByteAt: counted.firstPieceAt,
    });
  }

  private rememberCharged(id: string): void {
    if (id === '') return;
    this.charged.add(id);
    const [oldest = ''] = this.charged;
    if (this.charged.size > maxRemembered) this.charged.delete(oldest);
  }

  /** A transcript without usage comes from a vendor that does not charge for it. */
  private async chargeTranscript({ itemId, usage }: Transcribed): Promise<boolean> {
    if (!usage || this.charged.has(itemId)) return true;
    this.rememberCharged(itemId);
    const now = this.parts.deps.clock();
    const other = this.transcriptionPrice();
    return this.settle({
      usage,
      source: 'upstream',
      endReason: 'complete',
      startedAt: now,
      firstByteAt: now,
      ...(other && { other }),
    });
  }

  /**
   * The transcription of the caller's speech has its own model and price; without a price it costs what the session's
   * model costs.
   */
  private transcriptionPrice(): { model: string; snapshot: PriceSnapshot } | undefined {
    const { deps, context } = this.parts;
    const model = this.transcriptionModel;
    if (model === undefined) return undefined;
    const { acceptUnsetPrice: acceptUnset, userGroup } = context.relayCall.caller;
    const snapshot = deps.pricing.snapshot(model, context.admission.group, { acceptUnset, userGroup });
    return 'refusal' in snapshot ? undefined : { model, snapshot };
  }

  /** The session is over: what was delivered of unfinished responses is charged, otherwise the hold is returned. */
  async chargeRest(endReason: SessionEndReason): Promise<void> {
    const { sessionHold } = this.parts;
    const counted = await this.sessionMeter.finishAll();
    if (!counted.isDelivered) return sessionHold.release();
    const { usage, startedAt, firstPieceAt } = counted;
    // Another response ended with the hold, and the next hold was refused.
    if (sessionHold.isSpent) await (await sessionHold.open(usage)).durable;
    await this.settle({ ...this.ownUsage(counted), endReason, startedAt, firstByteAt: firstPieceAt });
  }

  /** Tollgate's own count; an estimate never exceeds the hold. */
  private ownUsage({ usage, estimates }: Counted): Pick<Spend, 'usage' | 'source'> {
    if (estimates.length === 0) return { usage, source: 'counted' };
    const { deps, sessionHold } = this.parts;
    deps.log.warn({ request: sessionHold.requestId }, 'tokens could not be counted and are estimated');
    return { usage: sessionHold.lowerToHold(usage, estimates), source: 'estimated' };
  }

  private async settle(spend: Omit<Spend, 'requestId'>): Promise<boolean> {
    const { deps, context, sessionHold } = this.parts;
    const facts = factsOf(deps, context, { ...spend, requestId: sessionHold.requestId });
    const settled = await sessionHold.settle(bookingOf(deps, facts));
    deps.onSettled({ ...context.relayCall, requestId: sessionHold.requestId }, settled, facts);
    return settled.writtenOff === 0;
  }
}
