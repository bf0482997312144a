import type { ProcessLink } from '../../../lib/processes/process-link.ts';
import type { Engine } from '../engines/engine.ts';
import type { Reservation, ReserveRequest, Settlement } from '../plan/types.ts';
import { asked, failureOf, type Outcome, notices } from './messages.ts';

/** What the other side may do; the rest of the ledger is this process's own. */
type OfferedEngine = Pick<
  Engine,
  'reserve' | 'extend' | 'hurry' | 'mark' | 'settle' | 'release' | 'flush' | 'forget'
>;

/**
 * Keeps the books for the process at the other end: its steps join the batches of this one, and are acknowledged when
 * those are durable. Its holds bear `node`, so that they can be ended when it dies. Answers what waits, once that process
 * is gone, until nothing that it had asked is on its way any more.
 */
export function offerLedger(link: ProcessLink, engine: OfferedEngine, node: string): () => Promise<void> {
  const underWay = new Set<Promise<unknown>>();

  const offer = <Given extends unknown[]>(
    name: string,
    work: (...given: Given) => unknown,
    requestIdOf: (...given: Given) => string = () => '',
  ): void =>
    link.offer(name, (...all) => {
      const given = all as Given;
      const answer = outcomeOf(() => work(...given), requestIdOf(...given));
      underWay.add(answer);
      return answer.finally(() => underWay.delete(answer));
    });

  const reserve = async (request: ReserveRequest, serial: number): Promise<number> => {
    const reservation: Reservation = await engine.reserve({ ...request, node });
    const { requestId } = request;
    reservation.durable.then(
      () => link.notify(notices.durable, requestId, serial),
      (error: unknown) => link.notify(notices.durable, requestId, serial, failureOf(error)),
    );
    return reservation.amount;
  };
  offer(asked.reserve, reserve);
  offer(asked.extend, (requestId: string, more: number) => engine.extend(requestId, more));
  offer(
    asked.settle,
    (settlement: Settlement) => engine.settle(settlement),
    ({ requestId }) => requestId,
  );
  offer(asked.release, (requestId: string) => engine.release(requestId));
  offer(asked.flush, () => engine.flush());
  link.offer(notices.hurry, (requestId) => engine.hurry(String(requestId)));
  link.offer(notices.mark, (...given) => engine.mark(...(given as Parameters<Engine['mark']>)));
  link.offer(notices.forget, (...given) => {
    const [accounts, tokens, members] = given as [Set<number>, Set<number>, Set<number>];
    engine.forget({ accounts, tokens, members });
  });
  return async () => void (await Promise.allSettled(underWay));
}

async function outcomeOf(work: () => unknown, requestId: string): Promise<Outcome<unknown>> {
  try {
    return { result: await work() };
  } catch (error) {
    return { failure: failureOf(error, requestId) };
  }
}
