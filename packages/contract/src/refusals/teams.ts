/** Refusals of teams. The console calls teams organisations. */
export const teamErrors = {
  /** Also the answer to non-members, so that they cannot find out if a team exists. */
  team_not_found: { status: 200, zh: '组织不存在', en: 'No such organisation' },
  team_role_insufficient: {
    status: 200,
    zh: '您在该组织中的角色无权进行此操作',
    en: 'Your role in this organisation does not allow this',
  },
  team_is_banned: {
    status: 200,
    zh: '该组织已被管理员封禁',
    en: 'An administrator has banned this organisation',
  },
  team_limit_reached: {
    status: 200,
    zh: '您最多可以拥有 {limit} 个组织',
    en: 'You may own at most {limit} organisations',
  },
  team_full: {
    status: 200,
    zh: '组织最多可以有 {limit} 名成员',
    en: 'An organisation has at most {limit} members',
  },
  import_name_missing: {
    status: 200,
    zh: '请填写用户名或邮箱',
    en: 'A username or an e-mail address is missing',
  },
  import_two_people: {
    status: 200,
    zh: '用户名 {username} 与邮箱 {email} 不属于同一用户',
    en: 'The username {username} and the address {email} do not belong to one user',
  },
  import_repeated: {
    status: 200,
    zh: '{username} 在前面的行中已出现',
    en: '{username} is in an earlier row already',
  },
  team_has_running_calls: {
    status: 200,
    zh: '该组织仍有调用正在进行，请稍后再试',
    en: 'Calls of this organisation are still running, please try again in a moment',
  },
  team_member_not_found: { status: 200, zh: '该组织没有此成员', en: 'No such member in this organisation' },
  team_rank_protected: {
    status: 200,
    zh: '无法修改与自己同级或更高级的成员',
    en: 'Members of your own rank or a higher one cannot be changed',
  },
  team_owner_stays: {
    status: 200,
    zh: '所有者不能离开组织，请先转让所有权或解散组织',
    en: 'The owner cannot leave: hand the organisation over or delete it first',
  },
  owns_teams: {
    status: 200,
    zh: '您仍拥有组织，请先转让所有权或解散组织',
    en: 'You still own organisations: hand them over or delete them first',
  },
  invitation_not_found: {
    status: 200,
    zh: '邀请不存在、已使用或已过期',
    en: 'This invitation does not exist, was used or has expired',
  },
  invitation_limit_reached: {
    status: 200,
    zh: '未处理的邀请最多 {limit} 个',
    en: 'At most {limit} invitations may be open',
  },
  already_team_member: {
    status: 200,
    zh: '您已是该组织的成员',
    en: 'You are a member of this organisation already',
  },
  balance_insufficient: {
    status: 200,
    zh: '余额不足，可用 {available}',
    en: 'The balance does not cover it: {available} available',
  },
} as const;
