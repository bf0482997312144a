import { AppError, type Language, statementApi, teamStatementApi } from '@tollgate/contract';
import type { Budgets } from '../../services/money/budgets/index.ts';
import type { SignedReceipts } from '../../services/money/receipts/index.ts';
import type { Statements, Wallet } from '../../services/money/statements/index.ts';
import { FileAnswer } from '../answer.ts';
import { type CallContext, requireActor, requireMembership } from '../context.ts';
import { implement, type MountedRoute } from '../implement.ts';

interface StatementRouteDeps {
  statements: Statements;
  signed: Pick<SignedReceipts, 'month'>;
  budgets: Pick<Budgets, 'findRun'>;
}

type Format = 'json' | 'csv' | 'pdf';

interface Files {
  csv(): AsyncGenerator<string>;
  pdf(language: Language): Promise<Buffer>;
}

/** A statement as a file, in the language of the caller. */
function fileOf(
  name: string,
  format: Exclude<Format, 'json'>,
  statement: Files,
  { language }: CallContext,
): FileAnswer {
  async function* whole() {
    yield await statement.pdf(language);
  }
  return new FileAnswer(name, format, format === 'csv' ? statement.csv() : whole());
}

/** Statements of wallets, and of runs. */
export function statementRoutes({ statements, signed, budgets }: StatementRouteDeps): MountedRoute[] {
  const read = async (
    context: CallContext,
    wallet: Wallet,
    { month, format }: { month: string; format: Format | 'jsonl' },
  ) => {
    const statement = await statements.read(wallet, month, requireActor(context).id);
    const { data } = statement;
    if (format === 'jsonl') {
      const { month: name, time_zone: timeZone, from, to } = data;
      const asked = { accountId: wallet.accountId, month: name, timeZone, from, to };
      return new FileAnswer(`receipts-${name}`, format, signed.month(asked));
    }
    return format === 'json' ? data : fileOf(`statement-${data.month}`, format, statement, context);
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
        if (!run && format !== 'json') throw new AppError('row_not_found');
        if (!run) return { run: asked.run, charged: 0, calls: 0, entries: [], next: null };
        const statement = await statements.run(run, after);
        return format === 'json' ? statement.data : fileOf(`run-${run.id}`, format, statement, context);
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
  ];
}
