import type { PriceSnapshot } from '@tollgate/contract';
import type { ServerEvent } from '../../relay/realtime/events.ts';
import { countSuccess } from '../entrance/index.ts';
import { bookingOf } from '../settle/index.ts';
import { factsOf, type SessionContext, type Spend } from './charge.ts';
import type { SessionEndReason } from './end.ts';
import type { SessionDeps } from './session-deps.ts';
import type { SessionHold } from './session-hold.ts';
import type { Counted, SessionMeter } from './session-meter.ts';

type Answered = Extract<ServerEvent, { kind: 'done' }>;
type Transcribed = Extract<ServerEvent, { kind: 'transcribed' }>;

interface BillingParts {
  deps: Pick<
    SessionDeps,
    'rate' | 'clock' | 'pricing' | 'log' | 'logsConsumption' | 'sumsHourly' | 'costOf' | 'onSettled'
  >;
  context: SessionContext;
  sessionHold: SessionHold;
}

/** Charges for what a session's upstream has finished, and for what was left when the session ended. */
export class SessionBilling {
  /** The model that writes down what the caller says; undefined where none does. */
  transcriptionModel: string | undefined;
  private readonly parts: BillingParts;
  private readonly sessionMeter: SessionMeter;

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
    const isWhole = status === 'completed' || status === 'incomplete';
    if (isWhole) countSuccess(deps.rate, context.relayCall.caller, context.admission.group);
    // Nothing delivered and nothing reported is free.
    if (!usage && !counted.isDelivered) return true;
    return this.settle({
      ...(usage ? ({ usage, source: 'upstream' } as const) : this.own(counted)),
      endReason: status === 'failed' ? 'upstream_error' : 'complete',
      startedAt: counted.startedAt,
      firstByteAt: counted.firstPieceAt,
    });
  }

  /** A transcript without usage is one of a vendor who does not charge for it. */
  private async chargeTranscript({ usage }: Transcribed): Promise<boolean> {
    if (!usage) return true;
    const now = this.parts.deps.clock();
    const other = this.transcription();
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
   * What writes down the caller's words has a model and a price of its own; unpriced, it costs what the session does.
   */
  private transcription(): { model: string; snapshot: PriceSnapshot } | undefined {
    const { deps, context } = this.parts;
    const model = this.transcriptionModel;
    if (model === undefined) return undefined;
    const acceptUnset = context.relayCall.caller.acceptUnsetPrice;
    const snapshot = deps.pricing.snapshot(model, context.admission.group, { acceptUnset });
    return 'refusal' in snapshot ? undefined : { model, snapshot };
  }

  /** The session is over: what was delivered of responses under way is charged, else the hold goes back. */
  async chargeRest(endReason: SessionEndReason): Promise<void> {
    const { sessionHold } = this.parts;
    const counted = await this.sessionMeter.finishAll();
    if (!counted.isDelivered) return sessionHold.release();
    const { usage, startedAt, firstPieceAt } = counted;
    // Another response took the hold with it as it ended, and the next one was refused.
    if (sessionHold.isSpent) await (await sessionHold.open(usage)).durable;
    await this.settle({ ...this.own(counted), endReason, startedAt, firstByteAt: firstPieceAt });
  }

  /** What we found by ourselves; an estimate takes nothing beyond the hold. */
  private own({ usage, estimates }: Counted): Pick<Spend, 'usage' | 'source'> {
    if (estimates.length === 0) return { usage, source: 'counted' };
    const { deps, sessionHold } = this.parts;
    deps.log.warn({ request: sessionHold.requestId }, 'tokens could not be counted and are estimated');
    return { usage: sessionHold.within(usage, estimates), source: 'estimated' };
  }

  private async settle(spend: Omit<Spend, 'requestId'>): Promise<boolean> {
    const { deps, context, sessionHold } = this.parts;
    const facts = factsOf(deps, context, { ...spend, requestId: sessionHold.requestId });
    const settled = await sessionHold.settle(bookingOf(deps, facts));
    deps.onSettled({ ...context.relayCall, requestId: sessionHold.requestId }, settled, facts);
    return settled.writtenOff === 0;
  }
}
