import { expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { checkBooks } from './checks.ts';
import { addPerson, hold, holdRequest, openLedger, unique } from './testing/test-bed.ts';

eachDialect('two processes that know nothing of each other', ({ open, openAgain }) => {
  it('never overspend one balance', async () => {
    const store = await open();
    const one = openLedger(store, { node: 'one' });
    const other = openLedger(await openAgain(), { node: 'other' });
    const person = await addPerson(store, one, { balance: 100 });
    const ids = Array.from({ length: 100 }, () => unique('storm'));
    const carrier = (i: number) => (i % 2 ? one : other);
    const results = await Promise.allSettled(
      ids.map((id, i) => hold(carrier(i), holdRequest(person, id, 10))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await Promise.all(ids.map((id, i) => carrier(i).release(id)));
    for (const ledger of [one, other]) await ledger.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });
});
