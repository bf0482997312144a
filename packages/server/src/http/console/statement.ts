import { Readable } from 'node:stream';
import { product, statementApi, teamStatementApi } from '@tollgate/contract';
import type { ReadStatement, Statements, Wallet } from '../../services/money/statements/index.ts';
import type { Served } from '../answer.ts';
import { type CallContext, requireActor, requireMembership } from '../context.ts';
import { implement, type MountedRoute } from '../implement.ts';

interface StatementRouteDeps {
  statements: Statements;
}

/** Statements that callers asked for as files. */
const asFiles = new WeakMap<CallContext, ReadStatement>();

function fileOf(statement: ReadStatement): Served {
  return {
    status: 200,
    body: Readable.from(statement.csv()),
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${product.id}-statement-${statement.data.month}.csv"`,
    },
  };
}

/** Streams the file instead of the envelope, if the caller asked for it. */
const withFiles = (route: MountedRoute): MountedRoute => ({
  ...route,
  async serve(raw, context) {
    const served = await route.serve(raw, context);
    const file = asFiles.get(context);
    return file ? fileOf(file) : served;
  },
});

/** Statements of wallets, and of runs. */
export function statementRoutes({ statements }: StatementRouteDeps): MountedRoute[] {
  const read = async (
    context: CallContext,
    wallet: Wallet,
    { month, format }: { month: string; format: 'json' | 'csv' },
  ) => {
    const statement = await statements.read(wallet, month, requireActor(context).id);
    if (format === 'csv') asFiles.set(context, statement);
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
      run: (page, context) => statements.run(requireActor(context).id, page),
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
