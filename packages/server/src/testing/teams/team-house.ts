import { teamApi, type TeamData, teamInvitationApi, type TeamRole, teamRole } from '@tollgate/contract';
import { moneyRoutes, openAutoTopUps, openPlans, openStatements } from '../../boot/money.ts';
import { openFocusExport } from '../../boot/upkeep.ts';
import { logRoutes } from '../../http/console/log/index.ts';
import { createPayments } from '../../services/money/payments/index.ts';
import type { Agent } from '../agent.ts';
import { type House, type HouseOptions, noMail, openHouse } from '../harness.ts';

/** Opens a console with the team calls. */
export const openTeamHouse = (options: Pick<HouseOptions, 'env'> = {}): Promise<House> =>
  openHouse({
    ...options,
    routes: (core, people) => {
      const plans = openPlans(core, { planStops: () => undefined });
      const stripeUrl = core.env.stripeUrl;
      const payments = createPayments({ ...core, db: core.store.db, plans, stripeUrl });
      return [
        ...moneyRoutes(
          core,
          {
            payments,
            plans,
            autoTopUps: openAutoTopUps(core, { autoTopUpFails: () => undefined }),
            statements: openStatements(core, noMail),
          },
          people,
        ),
        ...logRoutes({ logs: core.logs, focus: openFocusExport(core) }),
      ];
    },
  });

/** Creates a team for an owner. */
export const openTeam = async (owner: Agent, name = 'Team'): Promise<TeamData> =>
  (await owner.must(teamApi.create, { name })) as TeamData;

/** Adds a user to a team through an invitation of its owner. */
export async function join(
  owner: Agent,
  teamId: number,
  newcomer: Agent,
  role: TeamRole = teamRole.member,
): Promise<void> {
  const made = await owner.must(teamInvitationApi.create, { id: teamId, role });
  const { code } = made as { code: string };
  await newcomer.must(teamInvitationApi.accept, { code });
}
