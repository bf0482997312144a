import { role, tokenStatus, userStatus } from '@tollgate/contract';
import { type Json, objectsIn, textOf } from '../../../lib/json.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/index.ts';
import { type Cells, readCells } from '../kit/cells.ts';
import {
  createNames,
  type SourceBudget,
  type SourceTeam,
  type Translated,
  viewOf,
} from '../kit/translated.ts';
import { budgetsOf, type LeftLimits, limitColumns, readLimits, unitsOf } from './limits.ts';
import { type LitellmModels, readModels, type Variables } from './models.ts';

const tables = {
  keys: 'LiteLLM_VerificationToken',
  users: 'LiteLLM_UserTable',
  teams: 'LiteLLM_TeamTable',
  members: 'LiteLLM_TeamMembership',
  budgets: 'LiteLLM_BudgetTable',
  organisations: 'LiteLLM_OrganizationTable',
} as const;

/** Tables that are not imported, and their content. */
const leftTables = {
  LiteLLM_ProjectTable: 'projects: their keys are there, without the limits of the project',
  LiteLLM_EndUserTable: 'customers with budgets: a caller names customers in the field user, which is logged',
  LiteLLM_TagTable: 'tags with budgets',
  LiteLLM_DeprecatedVerificationToken: 'rotated keys in their last days: only the new ones work',
  LiteLLM_MCPServerTable: 'MCP servers',
  LiteLLM_AgentsTable: 'agents',
  LiteLLM_SpendLogs: 'rows of the log',
} as const;

/** The team of the keys of LiteLLM's own console. */
const consoleTeam = 'litellm-dashboard';

interface Options {
  variables: Variables;
  /** Credit of each person and organisation, in US dollars: LiteLLM has no balances. */
  credit: number;
  /** Unix seconds. */
  now: number;
}

/**
 * Reads LiteLLM's people, organisations, keys, budgets and models. Its keys are known by their hashes only. Everybody
 * who pays starts with the same credit, and budgets limit what they use of it.
 */
export async function readLitellm(
  foreign: ForeignDatabase,
  { variables, credit, now }: Options,
): Promise<Translated> {
  const read = async (table: string, columns: string): Promise<Cells[]> =>
    (await foreign.all(table, [...columns.split(/\s+/), ...limitColumns])).map((row) =>
      readCells(row, table),
    );
  const shared = new Map(
    (await read(tables.budgets, 'budget_id')).map((cells) => [cells.text('budget_id'), cells]),
  );
  const left: LeftLimits = new Map();
  const limitsOf = (cells: Cells) => readLimits(cells, shared, { now, left });
  const units = unitsOf(credit);
  const models = await readModels(foreign, variables, now);

  const people = new People(
    await read(tables.users, 'user_id user_alias user_email user_role models teams created_at'),
  );
  const budgets: SourceBudget[] = [];
  const add = (cells: Cells, owner: Partial<SourceBudget>): void =>
    void budgets.push(
      ...budgetsOf(limitsOf(cells), { owner: { tokenId: 0, userId: 0, teamId: 0, ...owner }, left }),
    );
  for (const { cells, id } of people.all) add(cells, { userId: id });

  const teamRows = await read(
    tables.teams,
    'team_id team_alias admins members members_with_roles models blocked created_at organization_id',
  );
  const memberRows = await read(tables.members, 'user_id team_id');
  const keyRows = await read(
    tables.keys,
    'token key_name key_alias expires models user_id team_id blocked created_at allowed_routes',
  );
  const teams = new Map<
    string,
    { team: SourceTeam & { members: { userId: number; isManager: boolean }[] }; cells: Cells }
  >();
  for (const cells of ordered(teamRows, 'team_id')) {
    const key = cells.text('team_id');
    const id = teams.size + 1;
    const members = membersOf(cells, people, memberRows);
    // A key of an organisation is a member's.
    for (const row of keyRows) {
      const owner = people.find(row.text('user_id'));
      if (
        row.text('team_id') === key &&
        owner !== undefined &&
        !members.some(({ userId }) => userId === owner)
      )
        members.push({ userId: owner, isManager: false });
    }
    const ownerId =
      members.find(({ isManager }) => isManager)?.userId ?? members[0]?.userId ?? people.keeper();
    if (members.length === 0) members.push({ userId: ownerId, isManager: true });
    const name = cells.text('team_alias') || key;
    const created = cells.date('created_at') ?? now;
    const team = { id, name, isOn: !cells.flag('blocked'), ownerId, members, balance: units };
    teams.set(key, { team: { ...team, used: unitsOf(cells.real('spend')), createdTime: created }, cells });
    add(cells, { teamId: id });
  }
  for (const cells of memberRows) {
    const [userId, team] = [people.find(cells.text('user_id')), teams.get(cells.text('team_id'))];
    if (userId !== undefined && team) add(cells, { userId, teamId: team.team.id });
  }

  const notes: string[] = [];
  const tokens: ForeignRow[] = [];
  const closed = { routes: 0, teams: 0, console: 0 };
  for (const cells of ordered(keyRows, 'token')) {
    const teamKey = cells.text('team_id');
    if (teamKey === consoleTeam) {
      closed.console += 1;
      continue;
    }
    const id = tokens.length + 1;
    const team = teams.get(teamKey);
    const routes = cells.list('allowed_routes');
    const isClosed = routes.length > 0 && !routes.includes('llm_api_routes');
    if (isClosed) closed.routes += 1;
    if (teamKey !== '' && !team) closed.teams += 1;
    const userId = people.find(cells.text('user_id')) ?? team?.team.ownerId ?? people.keeper();
    const isOff = cells.flag('blocked') || isClosed || (teamKey !== '' && !team);
    const owner = people.all.find((person) => person.id === userId)?.cells;
    const allowed = modelsOf(cells, team?.cells ?? owner, models);
    const limits = limitsOf(cells);
    // A limit for ever is the allowance of a key.
    const allowance = limits.duration === '' ? limits.max : undefined;
    const used = unitsOf(cells.real('spend'));
    tokens.push({
      id,
      user_id: userId,
      // Early versions kept some keys whole.
      ...(cells.text('token').startsWith('sk-')
        ? { key: cells.text('token').slice(3) }
        : { key: '', key_hash: cells.text('token') }),
      key_hint: `…${cells.text('key_name').slice(-4)}`,
      team_id: team?.team.id ?? 0,
      status: isOff ? tokenStatus.disabled : tokenStatus.enabled,
      name: cells.text('key_alias') || cells.text('key_name'),
      created_time: cells.date('created_at') ?? now,
      accessed_time: 0,
      expired_time: cells.date('expires') ?? -1,
      unlimited_quota: allowance === undefined,
      remain_quota: allowance === undefined ? 0 : Math.max(0, unitsOf(allowance) - used),
      used_quota: used,
      model_limits_enabled: allowed !== undefined,
      model_limits: allowed?.join(',') ?? '',
    });
    const rest = allowance === undefined ? limits : { ...limits, max: undefined };
    budgets.push(...budgetsOf(rest, { owner: { tokenId: id, userId: 0, teamId: 0 }, left }));
  }

  const users = people.all.map(({ id, username, cells }): ForeignRow => ({
    id,
    username,
    display_name: cells.text('user_alias') || username,
    role: cells.text('user_role') === 'proxy_admin' ? role.admin : role.common,
    status: userStatus.enabled,
    email: cells.text('user_email'),
    quota: units,
    used_quota: unitsOf(cells.real('spend')),
    group: 'default',
    created_at: cells.date('created_at') ?? now,
    remark: cells.text('user_id') === username ? '' : cells.text('user_id').slice(0, 255),
  }));

  const note = (number: number, what: string): void => void (number > 0 && notes.push(`${what}: ${number}`));
  notes.push(
    `LiteLLM has no balances: each of ${users.length} people and ${teams.size} organisations starts with ${credit} dollars, of which budgets leave what they left there`,
  );
  note(
    people.all.filter(({ cells }) => cells.text('user_role') === 'proxy_admin').length,
    'Administrators of the proxy, who are administrators here',
  );
  note(closed.console, 'Keys of its own console that stay behind');
  note(closed.routes, 'Keys for other calls than those of models, which are off');
  note(closed.teams, 'Keys of organisations that are gone, which are off');
  note(
    (await read(tables.organisations, 'organization_id')).length,
    'Organisations above the teams that stay behind with their budgets: a team is an organisation here',
  );
  note(
    budgets.filter(({ userId, teamId }) => userId !== 0 && teamId === 0).length,
    'Budgets of people, which count here what organisations pay for them, too',
  );
  for (const [what, number] of left) note(number, `Left out or changed: ${what}`);
  for (const [table, words] of Object.entries(leftTables))
    note(await foreign.count(table), `Rows of ${table} that stay behind (${words})`);
  return {
    view: viewOf(foreign.kind, { users, tokens, channels: models.channels, options: models.options }),
    teams: [...teams.values()].map(({ team }) => team),
    budgets,
    notes: [...notes, ...models.notes],
  };
}

/** Rows by the time of their creation, then by their key: they get the same numbers each time. */
const ordered = (rows: readonly Cells[], key: string): Cells[] =>
  rows.toSorted(
    (a, b) =>
      (a.date('created_at') ?? 0) - (b.date('created_at') ?? 0) || (a.text(key) < b.text(key) ? -1 : 1),
  );

/** The people with their numbers and names here. */
class People {
  readonly all: { id: number; username: string; cells: Cells }[] = [];
  private readonly ids = new Map<string, number>();
  private readonly nameOf = createNames();

  constructor(rows: readonly Cells[]) {
    for (const cells of ordered(rows, 'user_id')) this.add(cells);
  }

  /** The number of a user id; undefined if there is no such person. */
  find(userId: string): number | undefined {
    return this.ids.get(userId);
  }

  findByEmail(email: string): number | undefined {
    const wanted = email.toLowerCase();
    return this.all.find(({ cells }) => wanted !== '' && cells.text('user_email').toLowerCase() === wanted)
      ?.id;
  }

  /** The person who has what belongs to nobody: keys of the proxy and empty teams. */
  keeper(): number {
    return this.ids.get('litellm') ?? this.add(readCells({ user_id: 'litellm' }, tables.users));
  }

  private add(cells: Cells): number {
    const id = this.all.length + 1;
    const userId = cells.text('user_id');
    this.all.push({ id, username: this.nameOf(userId, cells.text('user_email')), cells });
    this.ids.set(userId, id);
    return id;
  }
}

/** The members of a team that exist, managers first. */
function membersOf(
  team: Cells,
  people: People,
  memberRows: readonly Cells[],
): { userId: number; isManager: boolean }[] {
  const key = team.text('team_id');
  const roles = new Map<number, boolean>();
  const join = (userId: number | undefined, isManager: boolean): void => {
    if (userId !== undefined) roles.set(userId, isManager || (roles.get(userId) ?? false));
  };
  for (const { user_id: id, user_email: email, role: rank } of objectsIn(jsonList(team)))
    join(people.find(textOf(id)) ?? people.findByEmail(textOf(email)), rank === 'admin');
  for (const id of team.list('admins')) join(people.find(id), true);
  for (const id of team.list('members')) join(people.find(id), false);
  for (const row of memberRows)
    if (row.text('team_id') === key) join(people.find(row.text('user_id')), false);
  for (const { id, cells } of people.all) if (cells.list('teams').includes(key)) join(id, false);
  return [...roles]
    .map(([userId, isManager]) => ({ userId, isManager }))
    .toSorted((a, b) => Number(b.isManager) - Number(a.isManager) || a.userId - b.userId);
}

function jsonList(team: Cells): Json {
  try {
    return JSON.parse(team.text('members_with_roles') || '[]') as Json;
  } catch {
    return [];
  }
}

/** Names that mean all models: of the team or person, or of the proxy. */
const allNames: ReadonlySet<string> = new Set(['all-team-models', 'all-proxy-models']);

/** Models of a key, within those of its team or person; undefined for all. */
function modelsOf(key: Cells, owner: Cells | undefined, models: LitellmModels): string[] | undefined {
  const expand = (cells: Cells): Set<string> | undefined => {
    const list = cells.list('models');
    if (list.length === 0 || list.some((name) => allNames.has(name))) return undefined;
    return new Set(list.flatMap((name) => namesOf(name, models)));
  };
  const own = expand(key);
  const outer = owner && expand(owner);
  if (own && outer) return [...own].filter((name) => outer.has(name));
  const both = own ?? outer;
  return both && [...both];
}

/** The models of an entry: an access group, a name with a `*`, or a name. */
function namesOf(entry: string, { names, groups }: LitellmModels): readonly string[] {
  const group = groups.get(entry);
  if (group) return group;
  if (!entry.includes('*')) return [entry];
  const pattern = new RegExp(
    `^${entry
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
  return [...names].filter((name) => pattern.test(name));
}
