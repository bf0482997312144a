import { Readable } from 'node:stream';
import { product, statementApi, teamStatementApi } from '@tollgate/contract';
import type { Budgets } from '../../services/money/budgets/index.ts';
import type { ReadStatement, Statements, Wallet } from '../../services/money/statements/index.ts';
import type { Served } from '../answer.ts';
import { type CallContext, requireActor, requireMembership } from '../context.ts';
import { implement, type MountedRoute } from '../implement.ts';

interface StatementRouteDeps {
  statements: Statements;
  budgets: Pick<Budgets, 'findRun'>;
}

interface File extends Pick<ReadStatement, 'csv'> {
  name: string;
}

/** Statements that callers asked for as files. */
const asFiles = new WeakMap<CallContext, File>();

function serveFile({ name, csv }: File): Served {
  return {
    status: 200,
    body: Readable.from(csv()),
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${product.id}-${name}.csv"`,
    },
  };
}

/** Streams the file instead of the envelope, if the caller asked for it. */
const withFiles = (route: MountedRoute): MountedRoute => ({
  ...route,
  async serve(raw, context) {
    const served = await route.serve(raw, context);
    const file = asFiles.get(context);
    return file ? serveFile(file) : served;
  },
});

/** Statements of wallets, and of runs. */
export function statementRoutes({ statements, budgets }: StatementRouteDeps): MountedRoute[] {
  const read = async (
    context: CallContext,
    wallet: Wallet,
    { month, format }: { month: string; format: 'json' | 'csv' },
  ) => {
    const statement = await statements.read(wallet, month, requireActor(context).id);
    if (format === 'csv')
      asFiles.set(context, { name: `statement-${statement.data.month}`, csv: statement.csv });
    return statement.data;
  };
  const own = (context: CallContext): Promise<Wallet> => {
    const actor = requireActor(context);
    return statements.walletOf(actor, actor.id);
  };
  const ofTeam = (context: CallContext): Wallet => {
    const { team } = requireMembership(context);
    return { accountId: team.account_id, name: team.name, owner: { teamId: team.id } };
  };
  return [
    ...implement(statementApi, {
      own: async (input, context) => read(context, await own(context), input),
      ofUser: async ({ id, ...input }, context) =>
        read(context, await statements.walletOf(requireActor(context), id), input),
      async run({ after, format, ...asked }, context) {
        const run = await budgets.findRun(requireActor(context), asked);
        if (!run) return { run: asked.run, charged: 0, calls: 0, entries: [], next: null };
        const statement = await statements.run(run, after);
        if (format === 'csv') asFiles.set(context, { name: `run-${run.id}`, csv: statement.csv });
        return statement.data;
      },
      async mail({ on }, context) {
        await statements.setMail(await own(context), { userId: requireActor(context).id, on });
        return null;
      },
    }),
    ...implement(teamStatementApi, {
      month: (input, context) => read(context, ofTeam(context), input),
      async mail({ on }, context) {
        await statements.setMail(ofTeam(context), { userId: requireActor(context).id, on });
        return null;
      },
    }),
  ].map(withFiles);
}
