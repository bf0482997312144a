import { assertAmount } from '../plan/ops.ts';
import {
  balances,
  budgetRows,
  grants,
  ledger,
  type LedgerEntry,
  type NewGrant,
  textOfLines,
} from '../../../../store/index.ts';
import { emptyEntry, lockBudgets, record, type VerbContext } from './context.ts';
import { addGrant, lockAccount } from './grants.ts';

/** Figures of a user or a team from another gateway, in quota units; none is negative. */
export interface OpeningWallet {
  /** Unique name, such as `import:new-api:user:7`. */
  txn: string;
  /** 0 for a team. */
  userId: number;
  accountId: number;
  balance: number;
  /** Debt at the other gateway: it is written off. */
  debt: number;
  /** Total use at the other gateway, including that of the keys that it pays. */
  used: number;
  /** Invitation reward not yet transferred. */
  reward: number;
}

/** Figures of a key from another gateway. */
export interface OpeningToken {
  /** Unique name, such as `import:new-api:token:12`. */
  txn: string;
  /** 0 if a team pays. */
  userId: number;
  accountId: number;
  tokenId: number;
  /** Quota units that it may still spend. */
  remain: number;
  used: number;
}

/** Credit from another gateway that ends, in addition to the balance. */
export interface OpeningCredit {
  /** Unique name, such as `import:new-api:subscription:3`. */
  txn: string;
  userId: number;
  accountId: number;
  /** Quota units. */
  amount: number;
  /** Unix seconds. */
  expiresAt: number;
}

/** Use of a new budget in quota units at another gateway, in the window that the budget was created with. */
export interface OpeningUse {
  /** Unique name, such as `import:litellm:budget:4`. */
  txn: string;
  /** The account that paid. */
  accountId: number;
  budgetId: number;
  /** Unix seconds of the start of the window. */
  start: number;
  used: number;
}

export interface OpenBooksInput {
  /** The name of the whole import, such as `import:new-api`, in an entry without a movement. */
  name: string;
  /** The note that identifies that entry. */
  mark: string;
  wallets: readonly OpeningWallet[];
  tokens: readonly OpeningToken[];
  credits?: readonly OpeningCredit[];
  uses?: readonly OpeningUse[];
  /** Name of the source. */
  reason: string;
}

/**
 * Opens the books of users and keys from another gateway. This transaction has created their rows with all figures at
 * 0. A wallet starts with balance plus former use (`opening`); the former use is taken from it at once (`former`), key
 * by key, so that every total is the sum of its entries. Throws if one of the names is already in the ledger.
 */
export async function openBooks(context: VerbContext, input: OpenBooksInput): Promise<void> {
  const { credits = [], uses = [] } = input;
  for (const amount of [...credits.map((each) => each.amount), ...uses.map(({ used }) => used)])
    assertAmount(amount);
  for (const { balance, debt, used, reward } of input.wallets)
    for (const amount of [balance, debt, used, reward]) assertAmount(amount);
  for (const { remain, used } of input.tokens) for (const amount of [remain, used]) assertAmount(amount);
  await balances.write(context.db, ledger.entryWrites(context.db, entriesOf(context, input)));
  await writeFigures(context, input);
  for (const credit of credits) {
    const { txn, userId: user_id, accountId: account_id, amount, expiresAt } = credit;
    const account = await lockAccount(context, account_id);
    const moved = { account_delta: amount, outside_delta: -amount || 0, note: input.reason };
    if (!(await record(context, { txn, kind: 'opening', user_id, account_id, ...moved })))
      throw new Error(`${txn} is a duplicate`);
    await addGrant(context, account, credit, { source: 'import', expiresAt });
  }
  await openUses(context, uses, input.reason);
}

/** Writes the former use of budgets: the account gets the amount and pays it at once, counted by the budget. */
async function openUses(context: VerbContext, uses: readonly OpeningUse[], note: string): Promise<void> {
  const { db, at } = context;
  const used = uses.filter((use) => use.used > 0);
  if (used.length === 0) return;
  const entries = used.flatMap(({ txn, accountId, budgetId, start, used: amount }): LedgerEntry[] => {
    const entry = { ...emptyEntry, at, note, account_id: accountId };
    const budgets = textOfLines([{ id: budgetId, start }]);
    return [
      { ...entry, txn, kind: 'opening', account_delta: amount, outside_delta: 0 - amount },
      {
        ...entry,
        txn: `${txn}:used`,
        kind: 'former',
        account_delta: 0 - amount,
        outside_delta: amount,
        budgets,
      },
    ];
  });
  await balances.write(db, ledger.entryWrites(db, entries));
  const lines = used.map(({ budgetId: id, start }) => ({ id, start }));
  const amounts = new Map(used.map(({ budgetId, used: amount }) => [budgetId, amount]));
  for (const { row, start } of await lockBudgets(context, lines))
    await budgetRows.addUsed(db, row, [[start, amounts.get(row.id) ?? 0]]);
}

function entriesOf({ at }: VerbContext, input: OpenBooksInput): LedgerEntry[] {
  const { wallets, tokens, reason: note } = input;
  const entry = { ...emptyEntry, at, note };
  const ofKeys = new Map<number, number>();
  for (const { accountId, used } of tokens) ofKeys.set(accountId, (ofKeys.get(accountId) ?? 0) + used);
  return [
    { ...entry, txn: input.name, kind: 'opening', note: input.mark },
    ...wallets.flatMap((wallet): LedgerEntry[] => {
      const owner = { ...entry, user_id: wallet.userId, account_id: wallet.accountId };
      const brought = wallet.balance + wallet.used;
      const opening = {
        ...owner,
        txn: wallet.txn,
        kind: 'opening',
        account_delta: brought,
        reward_delta: wallet.reward,
        writeoff_delta: 0 - wallet.debt,
        outside_delta: wallet.debt - brought - wallet.reward,
      };
      // Negative if the keys have more use than their owner: the owner's figure has precedence.
      const beside = wallet.used - (ofKeys.get(wallet.accountId) ?? 0);
      const former = { kind: 'former', account_delta: 0 - beside, outside_delta: beside };
      return beside === 0 ? [opening] : [opening, { ...owner, txn: `${wallet.txn}:used`, ...former }];
    }),
    ...tokens
      .filter(({ remain, used }) => remain !== 0 || used !== 0)
      .map((token) => ({
        ...entry,
        txn: token.txn,
        kind: 'former',
        user_id: token.userId,
        account_id: token.accountId,
        token_id: token.tokenId,
        account_delta: 0 - token.used,
        outside_delta: token.used,
        token_delta: token.remain,
      })),
  ];
}

async function writeFigures(
  { db, at, touched }: VerbContext,
  { wallets, tokens }: OpenBooksInput,
): Promise<void> {
  const before = new Map(
    (
      await balances.lockAccounts(
        db,
        wallets.map(({ accountId }) => accountId),
      )
    ).map((row) => [row.id, row]),
  );
  const accountChanges = wallets.map(({ accountId: id, balance }) => {
    const { balance: storedBalance = 0, held = 0 } = before.get(id) ?? {};
    const figures = { nextExpiry: 0, expired: 0, storedBalance, storedHeld: held };
    return { id, balance: storedBalance + balance, held, ...figures };
  });
  const unused = { held: 0, storedRemain: 0, storedHeld: 0, unlimited: false, accessedAt: 0 };
  const tokenChanges = tokens.map(({ tokenId: id, remain, used }) => ({ ...unused, id, remain, used }));
  const people = wallets.filter(({ userId }) => userId !== 0);
  const userChanges = new Map(people.map(({ userId, used }) => [userId, { quota: used, requests: 0 }]));
  await balances.write(db, [
    ...balances.accountWrites(db, accountChanges),
    ...balances.grantedWrites(db, new Map(wallets.map(({ accountId, balance }) => [accountId, balance]))),
    ...balances.tokenWrites(db, tokenChanges),
    ...balances.userWrites(db, userChanges),
  ]);
  const brought = wallets.filter(({ balance }) => balance > 0);
  await grants.insert(
    db,
    brought.map(({ txn, accountId, userId, balance }): NewGrant => ({
      account_id: accountId,
      user_id: userId,
      txn,
      source: 'import',
      amount: balance,
      remain: balance,
      paid: 0,
      refundable: 0,
      expires_at: 0,
      created_at: at,
    })),
  );
  for (const { userId, reward } of wallets) if (reward > 0) await balances.addReward(db, userId, reward);
  for (const { accountId } of wallets) touched.accounts.add(accountId);
  for (const { tokenId } of tokens) touched.tokens.add(tokenId);
}
