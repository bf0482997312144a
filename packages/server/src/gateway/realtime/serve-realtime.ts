import { usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import type { FrameLink } from '../../lib/websocket/frame-socket.ts';
import { type JsonObject, objectOf } from '../../lib/json.ts';
import { applyModelMapping, pricedModel } from '../../relay/outgoing.ts';
import { type Channel, refuse } from '../../relay/types/index.ts';
import { type LiveSetup, LiveWire } from '../../relay/realtime/live.ts';
import { TranscriptionWire } from '../../relay/realtime/transcription.ts';
import { openaiWire, type RealtimeWire } from '../../relay/realtime/wire.ts';
import { type RequestedSocket, sessionUpdate } from '../../relay/realtime/handshake.ts';
import type { Reservation } from '../../services/calls/routing/index.ts';
import { admit, admitRate, checkTags, enterRun, pricedAdmission } from '../entrance/index.ts';
import {
  boundChannel,
  chooseGroup,
  triedCall,
  tryChannels,
  FailedCall,
  type FailoverOutcome,
  firstChannel,
  isDryRun,
  refuseCall,
} from '../failover/index.ts';
import { readCeiling, holdRequest, tokenBound } from '../hold/index.ts';
import { type Admission, callInLog, type GatewayDeps, type RelayCall } from '../call/index.ts';
import { dial, type DialDeps, type Dialled, type DialResult } from './dial.ts';
import type { RealtimeLimits } from './limits.ts';
import type { LiveHandles, LivePlace } from './live-handles.ts';
import { SessionHold } from './session-hold.ts';
import { conversationAfter } from './session-meter.ts';
import type { SessionParts } from './session-parts.ts';
import { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** Dependencies of realtime sessions. */
export interface RealtimeDeps {
  gateway: GatewayDeps;
  dial: DialDeps;
  sessions: Sessions;
  limits: RealtimeLimits;
  handles: LiveHandles;
}

/** A caller who requests a socket. */
export interface SocketRequest {
  relayCall: RelayCall;
  asked: RequestedSocket;
  /** The first message of a session of Gemini Live; absent for other sessions. */
  live?: LiveSetup;
  /** Opens the caller's side; throws if the caller has disconnected. */
  accept(): FrameLink;
  /** Checks the caller's key again; throws the error. */
  confirm(): Promise<void>;
}

/**
 * Serves one realtime session: admit → hold → a channel's socket → the caller's socket → the session. The
 * caller's handshake is answered last, so that every earlier error is an HTTP answer.
 */
export async function serveRealtime(deps: RealtimeDeps, request: SocketRequest): Promise<void> {
  const { gateway } = deps;
  const { relayCall } = request;
  let freeSlot: (() => void) | undefined;
  let pending: PendingSession | undefined;
  try {
    // A session has no explanation, and the caller expects no charge.
    if (isDryRun(relayCall)) throw refuse('api_not_implemented');
    const groups = admit(gateway, relayCall);
    const resumed = request.live && findResumed(deps, relayCall, request.live, groups);
    const group = resumed?.group ?? chooseGroup(gateway, relayCall, groups);
    checkTags(gateway, relayCall, group);
    await admitRate(gateway.rate, relayCall.caller, group);
    const first = resumed?.channel ?? firstChannel(gateway, relayCall, group);
    const admission = pricedAdmission(gateway, relayCall, group, first);
    const ceiling = readCeiling(gateway, relayCall.req);
    freeSlot = deps.sessions.admit(relayCall.caller.userId);
    faultPoint('before-hold');
    const payer = holdRequest(gateway, relayCall, admission, first, await enterRun(gateway, relayCall));
    const sessionHold = new SessionHold({
      deps: gateway,
      relayCall,
      snapshot: admission.snapshot,
      payer,
      ceiling,
    });
    const opening = request.live && {
      words: request.live.words,
      context: conversationAfter(resumed?.place.usage ?? usageOf()),
    };
    const input = opening && {
      ...opening.context,
      input: opening.context.input + tokenBound(opening.words),
    };
    const hold = await sessionHold.open(input ?? usageOf(), relayCall.res);
    relayCall.trace?.held(hold.amount);
    faultPoint('hold-taken');
    try {
      const { durable } = hold;
      pending = { request, admission, first, sessionHold, durable, opening, resumed };
      const session = await connect(deps, pending);
      await run(deps, session);
    } finally {
      // Only a session that never started still has a hold here.
      await sessionHold.release().catch((cause: unknown) => {
        gateway.log.error({ ...callInLog(relayCall), cause }, 'a hold could not be released; recovery will');
      });
    }
  } catch (error) {
    const reason = refuseCall(gateway, relayCall, error);
    gateway.onRefused(relayCall, reason, error instanceof FailedCall ? error : undefined);
  } finally {
    freeSlot?.();
    pending?.reservation?.end();
  }
}

/** A session that is resumed, and its channel. */
interface Resumed extends NonNullable<ReturnType<typeof boundChannel>> {
  place: LivePlace;
}

/** Finds the channel that can resume a session; undefined for a new one. A session of somebody else does not exist. */
function findResumed(
  { gateway, handles }: RealtimeDeps,
  relayCall: RelayCall,
  live: LiveSetup,
  groups: readonly string[],
): Resumed | undefined {
  if (live.handle === '') return undefined;
  const { caller, facts } = relayCall;
  const place = handles.open(caller.userId, live.handle);
  const at = place && { id: place.channelId, keyId: place.keyId };
  const bound = boundChannel(gateway.routing, relayCall, groups, at);
  if (!place || !bound)
    throw refuse('conversation_not_found', { id: live.handle.slice(0, 30) }, { param: 'handle' });
  // Its conversation has the price of its model.
  if (applyModelMapping(bound.channel.modelMapping, facts.model) !== place.model)
    throw refuse('session_model_fixed', { model: place.model });
  return { ...bound, place };
}

/** A session before its sockets: admitted, with a hold. */
interface PendingSession {
  request: SocketRequest;
  admission: Admission;
  first: Channel;
  sessionHold: SessionHold;
  /** Rejects if the rows do not cover the hold that was granted in memory. */
  durable: Promise<void>;
  opening: SessionParts['opening'];
  resumed: Resumed | undefined;
  /** Once a channel with limits is connected. */
  reservation?: Reservation | undefined;
}

/** Opens a channel's socket, then the caller's. On a failure the former is closed and the error thrown. */
async function connect(deps: RealtimeDeps, pending: PendingSession): Promise<Session> {
  const { request, admission, first, durable } = pending;
  const { relayCall } = request;
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort();
  relayCall.res.once('close', abort);
  durable.catch(abort);
  try {
    const outcome = await tryChannels(
      deps.gateway,
      triedCall(deps.gateway, relayCall, admission.group, first, (channel) =>
        isPricedAlike(pending, channel)
          ? dialUnlessDisconnected(deps, pending, channel, disconnected.signal)
          : Promise.resolve(otherPrice(relayCall.facts.model)),
      ),
    );
    pending.reservation = outcome.reservation;
    return await accept(deps, pending, outcome);
  } catch (error) {
    // If the hold is invalid, that is the reason, even after other failures.
    await durable;
    throw error;
  }
}

/** A session stays at the price that it is held for: a channel with another one is not tried. */
const isPricedAlike = ({ request, admission }: PendingSession, channel: Channel): boolean =>
  pricedModel(channel, request.relayCall.facts.model) === admission.pricedModel;

const otherPrice = (model: string): DialResult => ({
  kind: 'failed',
  error: refuse('model_price_error', { model }),
});

/** Dials a channel; throws `client_gone` if the caller has disconnected. */
async function dialUnlessDisconnected(
  deps: RealtimeDeps,
  { request, resumed }: PendingSession,
  channel: Channel,
  signal: AbortSignal,
): Promise<DialResult> {
  const { live } = request;
  const asked = live ? { ...request.asked, setup: setupWith(live.setup, resumed) } : request.asked;
  const result = await dial(deps.dial, channel, { ...request, asked }, deps.limits, signal);
  if (!signal.aborted) return result;
  if (result.kind === 'opened') void result.socket.close(1000, '');
  // This does not count as a failure of the channel, and no other one is needed.
  throw refuse('client_gone');
}

/** The first message, with the upstream's own handle of a session to resume. */
const setupWith = (setup: JsonObject, resumed: Resumed | undefined): JsonObject =>
  resumed
    ? {
        ...setup,
        sessionResumption: { ...objectOf(setup['sessionResumption']), handle: resumed.place.handle },
      }
    : setup;

/** The protocol of Gemini Live, with handles that contain the place of the session. */
function liveWireOf(
  { handles }: RealtimeDeps,
  { request, resumed }: PendingSession,
  { id: channelId, chosenKey }: Channel,
  model: string,
): RealtimeWire {
  const { userId } = request.relayCall.caller;
  const keyId = chosenKey?.id ?? '';
  return new LiveWire({
    model,
    seal: (handle, usage = resumed?.place.usage) =>
      handles.seal(userId, { handle, model, channelId, keyId, usage }),
  });
}

/** Answers the caller's handshake once the hold is durable. */
async function accept(
  deps: RealtimeDeps,
  pending: PendingSession,
  { channel, result, tries }: FailoverOutcome<Dialled>,
): Promise<Session> {
  const { gateway, limits } = deps;
  const { request, admission, sessionHold, durable, opening } = pending;
  const { socket, secrets, upstreamModel, greeting } = result;
  try {
    await durable;
    faultPoint('hold-durable');
    return new Session({
      deps: gateway,
      context: { relayCall: request.relayCall, admission, channelId: channel.id, upstreamModel, tries },
      client: request.accept(),
      upstream: socket,
      secrets,
      sessionHold,
      limits,
      wire: request.live
        ? liveWireOf(deps, pending, channel, upstreamModel)
        : request.asked.transcribes
          ? new TranscriptionWire()
          : openaiWire,
      greeting,
      opening,
      ...(request.asked.session && { first: sessionUpdate(request.asked.session) }),
      confirm: () => request.confirm(),
    });
  } catch (error) {
    void socket.close(1000, '');
    throw error;
  }
}

async function run({ gateway, sessions }: RealtimeDeps, session: Session): Promise<void> {
  gateway.running.add(session);
  sessions.add(session);
  try {
    session.start();
    await session.finished;
  } finally {
    sessions.delete(session);
    gateway.running.delete(session);
  }
}
