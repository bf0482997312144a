import { usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import type { FrameSocket } from '../../lib/frame-socket.ts';
import type { Channel } from '../../relay/model/channel.ts';
import { refuse } from '../../relay/model/relay-error.ts';
import type { AskedSocket } from '../../relay/realtime/handshake.ts';
import { admit, pricedAdmission } from '../admit.ts';
import type { AttemptResult } from '../attempt.ts';
import type { GatewayDeps } from '../deps.ts';
import { climb, FailedCall, firstChannel } from '../ladder.ts';
import { admitRate } from '../rate.ts';
import { holdRequest, refuseCall } from '../serve.ts';
import type { Admission, Exchange } from '../types.ts';
import { dial, type DialDeps, type Dialled } from './dial.ts';
import type { RealtimeLimits } from './limits.ts';
import { Purse } from './purse.ts';
import { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** What realtime sessions rest on. */
export interface RealtimeDeps {
  gateway: GatewayDeps;
  dial: DialDeps;
  sessions: Sessions;
  limits: RealtimeLimits;
}

/** A caller who wants a socket. */
export interface SocketVisit {
  exchange: Exchange;
  asked: AskedSocket;
  /** Opens the caller's side; throws when the caller has left. */
  accept(): FrameSocket;
  /** Asks again whether the caller's key stands; throws the refusal. */
  confirm(): Promise<void>;
}

/**
 * The journey of one realtime session, top to bottom: admit → hold → a channel's socket → the caller's socket → the
 * session. The caller's handshake is answered last, so that every refusal before is an HTTP answer.
 */
export async function serveRealtime(deps: RealtimeDeps, visit: SocketVisit): Promise<void> {
  const { gateway } = deps;
  const { exchange } = visit;
  let leave: (() => void) | undefined;
  try {
    const group = admit(gateway, exchange);
    admitRate(gateway.rate, exchange.caller, group);
    const first = firstChannel(gateway, exchange, group);
    const admission = pricedAdmission(gateway, exchange, group);
    leave = deps.sessions.enter(exchange.caller.userId);
    faultPoint('K2');
    const payer = holdRequest(exchange, admission, first);
    const purse = new Purse(gateway, exchange.requestId, admission.snapshot, payer);
    const hold = await purse.open(usageOf());
    faultPoint('K3');
    try {
      const session = await connect(deps, visit, admission, first, purse, hold.durable);
      await run(deps, session);
    } finally {
      // Only a session that never began has a hold left here.
      await purse.release().catch((cause: unknown) => {
        gateway.log.error(
          { request: exchange.requestId, cause },
          'a hold could not be released; recovery will',
        );
      });
    }
  } catch (error) {
    const reason = refuseCall(gateway, exchange, error);
    gateway.onRefused(exchange, reason, error instanceof FailedCall ? error : undefined);
  } finally {
    leave?.();
  }
}

async function connect(
  deps: RealtimeDeps,
  visit: SocketVisit,
  admission: Admission,
  first: Channel,
  purse: Purse,
  durable: Promise<void>,
): Promise<Session> {
  const { gateway, limits } = deps;
  const { exchange } = visit;
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  exchange.res.once('close', leave);
  // A hold that was given in memory may fail on disk; whoever waits for it below is told.
  durable.catch(leave);
  let dialled: Dialled | undefined;
  try {
    const climbed = await climb(
      gateway,
      exchange,
      admission,
      first,
      async (channel): Promise<AttemptResult> => {
        const result = await dial(deps.dial, channel, visit.asked, limits, leaving.signal);
        if (!('kind' in result)) dialled = result;
        // Nobody waits any more: that says nothing about this channel, and needs no other one.
        if (leaving.signal.aborted)
          throw refuse(499, 'client_gone', 'the caller left before the socket was open');
        if ('kind' in result) return result;
        return {
          kind: 'answered',
          end: { outcome: 'complete', tail: undefined, usage: undefined, error: undefined },
        };
      },
    );
    await durable;
    faultPoint('K4');
    const ground = {
      exchange,
      admission,
      channelId: climbed.channel.id,
      upstreamModel: dialled!.upstreamModel,
      tries: climbed.tries,
    };
    const client = visit.accept();
    return new Session({
      deps: gateway,
      ground,
      client,
      upstream: dialled!.socket,
      secrets: dialled!.secrets,
      purse,
      limits,
      confirm: () => visit.confirm(),
    });
  } catch (error) {
    void dialled?.socket.close(1000, '');
    // Whatever else went wrong meanwhile, a hold that does not stand is the reason.
    await durable;
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
