import { balances, holds, type Store } from '../../../../../store/index.ts';
import {
  InsufficientQuota,
  type RequestLedger,
  type Reservation,
  type ReserveRequest,
  type Settled,
  type Settlement,
} from '../../plan/types.ts';

/**
 * WRONG on purpose, for tests: reads the balance, then decrements it, like gateways that lose money. Other requests
 * read the same balance in between.
 */
export class CheckThenDecrement implements RequestLedger {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    const { db } = this.store;
    const { accountId, amount } = request;
    const account = await db
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    const available = account.balance - account.held;
    if (available < amount) throw new InsufficientQuota('account', available, amount);
    await db
      .updateTable('accounts')
      .set((e) => ({ held: e('held', '+', amount) }))
      .where('id', '=', accountId)
      .execute();
    const row = {
      request_id: request.requestId,
      account_id: accountId,
      user_id: request.userId,
      token_id: request.tokenId,
      channel_id: request.channelId,
      amount,
      token_amount: 0,
      member_id: 0,
      member_amount: 0,
      progress: 0,
      at: 0,
      node: 'wrong',
      request: request.request,
      budgets: '',
    };
    await balances.write(db, holds.holdWrites(db, [{ row, stored: false, open: true }]));
    return { amount, tokens: 0, durable: Promise.resolve() };
  }

  async settle({ requestId }: Settlement): Promise<Settled> {
    await this.release(requestId);
    return { charged: 0, writtenOff: 0, balance: 0 };
  }

  async release(requestId: string): Promise<void> {
    const { db } = this.store;
    const [row] = await holds.findHolds(db, [requestId]);
    if (!row) return;
    await balances.write(db, holds.holdWrites(db, [{ row, stored: true, open: false }]));
    await db
      .updateTable('accounts')
      .set((e) => ({ held: e('held', '-', row.amount) }))
      .where('id', '=', row.account_id)
      .execute();
  }

  async extend(): Promise<boolean> {
    return true;
  }

  endDeferral(): void {
    // Every step is written at once.
  }

  async mark(): Promise<void> {
    // Progress does not matter for this error.
  }

  async flush(): Promise<void> {
    // No caller waits: every step is written at once.
  }
}
