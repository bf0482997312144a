import {
  pricingApi,
  selfApi,
  teamApi,
  teamInvitationApi,
  teamRecordApi,
  teamRole,
  teamTokenApi,
  type TeamData,
} from '@tollgate/contract';
import { FakeServer } from './fake-server.ts';
import { pageWith, people, userSample } from './samples.ts';
import { logSample, pricingSample, noPriceGroups } from './usage-samples.ts';
import {
  memberSample,
  statementSample,
  teamInvitationSample,
  teamSample,
  teamTokenSample,
} from './team-samples.ts';

const self = memberSample({ user_id: people.user.id, username: 'ada', role: teamRole.owner });
/** A site with one organisation, of which the person is owner, and bob a member; keys, calls and a statement are there. */
export const teamSite = (team: Partial<TeamData> = {}) =>
  new FakeServer()
    .answer(teamApi.get, teamSample(team))
    .answer(teamApi.list, [])
    .answer(teamInvitationApi.ownList, [])
    .answer(teamApi.members, [self, memberSample()])
    .answer(teamInvitationApi.list, [teamInvitationSample()])
    .answer(teamTokenApi.list, [teamTokenSample(), teamTokenSample({ id: 2, user_id: 8, username: 'bob' })])
    .answer(teamTokenApi.models, ['gpt-4o', 'team-model'])
    .answer(teamTokenApi.groups, {
      default: { ratio: 1, desc: '' },
      vip: { ratio: 0.5, desc: 'Half price' },
    })
    .answer(teamRecordApi.logs, { ...pageWith(logSample({ username: 'bob' })), exact: true })
    .answer(teamRecordApi.logStat, {
      quota: 10_000,
      team_quota: 10_000,
      refunded: 0,
      team_refunded: 0,
      rpm: 1,
      tpm: 150,
    })
    .answer(teamRecordApi.statement, statementSample())
    .answer(selfApi.get, userSample())
    .answer(selfApi.models, ['gpt-4o'])
    .answer(pricingApi.list, { data: [pricingSample()], extra: noPriceGroups });
