import { price, type PriceSnapshot, type Usage } from '@tollgate/contract';
import type { ServerEvent } from '../../relay/realtime/events.ts';
import { countSuccess } from '../entrance/index.ts';
import { book, servedFacts } from '../settle/index.ts';
import type { SessionEndReason } from './end.ts';
import type { SessionHold } from './session-hold.ts';
import type { Counted, SessionMeter } from './session-meter.ts';
import type { SessionParts } from './session-parts.ts';

type Answered = Extract<ServerEvent, { kind: 'done' }>;
type Transcribed = Extract<ServerEvent, { kind: 'transcribed' }>;

type BillingParts = Pick<SessionParts, 'deps' | 'context'> & { sessionHold: SessionHold };

/** One charge. Times are Unix ms. */
interface Spend {
  usage: Usage;
  source: 'upstream' | 'counted' | 'estimated';
  endReason: SessionEndReason;
  startedAt: number;
  /** 0 if there was no byte. */
  firstByteAt: number;
  /** The model that is charged, at its own price; that of the session if absent. */
  other?: { model: string; snapshot: PriceSnapshot };
}

/** The number of charged responses and transcripts whose ids are stored, in case an upstream sends an end again. */
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

  /** A transcript without usage is from a vendor that does not charge for it. */
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
      firstByteAt: 0,
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

  /** A response is charged and logged like a call; its row also has the name of the session. */
  private async settle({ usage, source, endReason, startedAt, firstByteAt, other }: Spend): Promise<boolean> {
    const { deps, context, sessionHold } = this.parts;
    const { relayCall, admission } = context;
    const response = { ...relayCall, requestId: sessionHold.close(), startedAt };
    const served = servedFacts({
      ...context,
      relayCall: response,
      ...(other && {
        upstreamModel: other.model,
        admission: { ...admission, snapshot: other.snapshot, pricedModel: other.model },
      }),
    });
    const settled = await book(deps, response, {
      ...served,
      model: other?.model ?? relayCall.facts.model,
      isStream: true,
      usage,
      usageSource: source,
      bill: price(usage, served.snapshot),
      endReason,
      maxCost: sessionHold.ceilingLeft,
      realtimeSession: relayCall.requestId,
      firstByteAt,
      endedAt: deps.clock(),
    });
    if (sessionHold.ceilingLeft !== undefined) sessionHold.ceilingLeft -= settled.charged;
    return settled.writtenOff === 0;
  }
}
