import type { ProcessLink } from '../../../../lib/processes/process-link.ts';
import type { Engine, PayerIds } from '../engines/engine.ts';
import type { Reservation, ReserveRequest, Settlement } from '../plan/types.ts';
import {
  linkRequests,
  type ExtendedAnswer,
  failureOf,
  type GrantedAnswer,
  type StepAnswer,
  type Outcome,
  linkNotices,
  type SettledAnswer,
} from './messages.ts';

/** What the other side may do; the rest of the ledger is this process's own. */
type ServedEngine = Pick<
  Engine,
  'reserve' | 'extend' | 'endDeferral' | 'mark' | 'settle' | 'release' | 'flush' | 'forget' | 'available'
>;

/** The steps of another process, in the batches of this one. */
class WorkerSteps {
  private readonly link: ProcessLink;
  private readonly engine: ServedEngine;
  private readonly node: string;
  /** Holds that wait for the rows of their payer; the next steps of their requests wait for them. */
  private readonly reserving = new Map<string, Promise<Reservation>>();
  /** Settlements under way, and the number of the hold where that became durable meanwhile. */
  private readonly settling = new Map<string, number | undefined>();

  constructor(link: ProcessLink, engine: ServedEngine, node: string) {
    this.link = link;
    this.engine = engine;
    this.node = node;
  }

  async reserve(request: ReserveRequest, serial: number): Promise<GrantedAnswer> {
    const reservation = await this.taken(request);
    this.announce(reservation, request, serial);
    return { amount: reservation.amount, ...this.available(request) };
  }

  /** The caller has the hold already: here it is taken or refused. */
  async hold(request: ReserveRequest, serial: number): Promise<void> {
    const { requestId } = request;
    try {
      const taken = this.taken(request);
      this.announce(taken instanceof Promise ? await taken : taken, request, serial);
    } catch (error) {
      this.link.notify(linkNotices.durable, requestId, serial, this.available(request), failureOf(error));
    }
  }

  private taken(request: ReserveRequest): Reservation | Promise<Reservation> {
    const taken = this.engine.reserve({ ...request, node: this.node });
    if (!(taken instanceof Promise)) return taken;
    const { requestId } = request;
    const done = taken.finally(() => this.reserving.delete(requestId));
    done.catch(() => undefined);
    this.reserving.set(requestId, done);
    return done;
  }

  private announce({ durable }: Reservation, request: ReserveRequest, serial: number): void {
    const { requestId } = request;
    durable.then(
      () => {
        // The answer to the settlement reports it, too.
        if (this.settling.has(requestId)) this.settling.set(requestId, serial);
        else this.link.notify(linkNotices.durable, requestId, serial, this.available(request));
      },
      (error: unknown) =>
        this.link.notify(linkNotices.durable, requestId, serial, this.available(request), failureOf(error)),
    );
  }

  async settle(settlement: Settlement, payer: PayerIds | undefined): Promise<SettledAnswer> {
    const { requestId } = settlement;
    this.settling.set(requestId, undefined);
    try {
      const reserving = this.reserving.get(requestId);
      if (reserving) await reserving;
      const settled = await this.engine.settle(settlement);
      return { ...settled, ...this.availableOf(payer) };
    } catch (error) {
      const serial = this.settling.get(requestId);
      if (serial !== undefined)
        this.link.notify(linkNotices.durable, requestId, serial, this.availableOf(payer));
      throw error;
    } finally {
      this.settling.delete(requestId);
    }
  }

  async extend(requestId: string, more: number, payer: PayerIds | undefined): Promise<ExtendedAnswer> {
    await this.reserving.get(requestId)?.catch(() => undefined);
    const isHeld = await this.engine.extend(requestId, more);
    return { isHeld, ...this.availableOf(payer) };
  }

  async release(requestId: string, payer: PayerIds | undefined): Promise<StepAnswer> {
    await this.reserving.get(requestId)?.catch(() => undefined);
    await this.engine.release(requestId);
    return this.availableOf(payer);
  }

  async mark(requestId: string, ...marked: [progress: number, request?: string]): Promise<void> {
    await this.reserving.get(requestId)?.catch(() => undefined);
    await this.engine.mark(requestId, ...marked);
  }

  private available(payer: PayerIds): StepAnswer {
    return { available: this.engine.available?.(payer) };
  }

  private availableOf(payer: PayerIds | undefined): StepAnswer {
    return payer ? this.available(payer) : { available: undefined };
  }

  /** Does work that no caller waits for, after the hold that it is about was taken. */
  behind(requestId: string, work: () => void): void {
    const reserving = this.reserving.get(requestId);
    if (reserving) reserving.then(work, () => undefined);
    else work();
  }
}

/**
 * Keeps the books for the process at the other end: its steps join the batches of this one, and are acknowledged when
 * those are durable. Its holds bear `node`, so that they can be ended when it dies. Answers what waits, once that process
 * is gone, until nothing that it had asked is on its way any more.
 */
export function serveLedger(link: ProcessLink, engine: ServedEngine, node: string): () => Promise<void> {
  const steps = new WorkerSteps(link, engine, node);
  const underWay = new Set<Promise<unknown>>();
  const watched = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    return work.finally(() => underWay.delete(work));
  };
  const offer = <Given extends unknown[]>(
    name: string,
    work: (...given: Given) => Promise<unknown>,
    requestIdOf: (...given: Given) => string = () => '',
  ): void =>
    link.offer(name, (...all) => {
      const given = all as Given;
      return watched(outcomeOf(work(...given), requestIdOf(...given)));
    });

  offer(linkRequests.reserve, (request: ReserveRequest, serial: number) => steps.reserve(request, serial));
  offer(linkRequests.extend, (requestId: string, more: number, payer: PayerIds | undefined) =>
    steps.extend(requestId, more, payer),
  );
  offer(
    linkRequests.settle,
    (settlement: Settlement, payer: PayerIds | undefined) => steps.settle(settlement, payer),
    ({ requestId }) => requestId,
  );
  offer(linkRequests.release, (requestId: string, payer: PayerIds | undefined) =>
    steps.release(requestId, payer),
  );
  offer(linkRequests.mark, (...mark: Parameters<Engine['mark']>) => steps.mark(...mark));
  offer(linkRequests.flush, () => engine.flush());
  link.offer(linkNotices.hold, (request, serial) =>
    watched(steps.hold(request as ReserveRequest, Number(serial))),
  );
  link.offer(linkNotices.endDeferral, (requestId) =>
    steps.behind(String(requestId), () => engine.endDeferral(String(requestId))),
  );
  link.offer(linkNotices.forget, (...given) => {
    const [accounts, tokens, members] = given as [Set<number>, Set<number>, Set<number>];
    engine.forget({ accounts, tokens, members });
  });
  return async () => void (await Promise.allSettled(underWay));
}

async function outcomeOf(work: Promise<unknown>, requestId: string): Promise<Outcome<unknown>> {
  try {
    return { result: await work };
  } catch (error) {
    return { failure: failureOf(error, requestId) };
  }
}
