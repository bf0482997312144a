import { texts } from '../../../lib/i18n.ts';

export const invitationText = texts({
  title: { zh: '未处理的邀请', en: 'Pending invitations' },
  invitee: { zh: '邀请对象', en: 'For' },
  anyone: { zh: '持有链接的任何人', en: 'Anyone who has the link' },
  role: { zh: '角色', en: 'Role' },
  by: { zh: '邀请人', en: 'Invited by' },
  expires: { zh: '有效期至', en: 'Valid until' },
  created: { zh: '邀请时间', en: 'Invited' },
  actions: { zh: '操作', en: 'Actions' },
  withdraw: { zh: '撤回', en: 'Withdraw' },
  withdrawOf: { zh: '撤回对“{name}”的邀请', en: 'Withdraw the invitation for {name}' },
  withdrawn: { zh: '邀请已撤回', en: 'Invitation withdrawn' },
  invite: { zh: '邀请成员', en: 'Invite' },
  emptyTitle: { zh: '没有未处理的邀请', en: 'No pending invitations' },
  emptyHint: {
    zh: '通过用户名、邮箱或一次性链接邀请他人。',
    en: 'Invite people by username, by e-mail or with a single-use link.',
  },
  formTitle: { zh: '邀请成员', en: 'Invite a member' },
  how: { zh: '方式', en: 'How' },
  byName: { zh: '用户名或邮箱', en: 'By username or e-mail' },
  byLink: { zh: '链接', en: 'By link' },
  linkHint: {
    zh: '会得到一个只能使用一次的链接，由您自己发送。',
    en: 'You get a single-use link to send yourself.',
  },
  inviteeLabel: { zh: '用户名或邮箱地址', en: 'Username or e-mail address' },
  inviteeHint: {
    zh: '用户会在“我的组织”看到邀请；邮箱会收到链接，任何拿到该链接的人都可以加入。',
    en: 'A user sees the invitation under My organisations; an address receives a link with which anyone can join.',
  },
  inviteeRequired: { zh: '请输入用户名或邮箱', en: 'Please enter a username or an address' },
  days: { zh: '有效天数', en: 'Days valid' },
  daysInvalid: { zh: '请输入 1 到 {max} 的整数', en: 'A whole number from 1 to {max}' },
  create: { zh: '邀请', en: 'Invite' },
  madeTitle: { zh: '邀请已创建', en: 'Invitation created' },
  madeLink: { zh: '邀请链接', en: 'Link' },
  madeNamed: {
    zh: '已为 {name} 创建邀请。如果没有收到，您也可以自己发送这个链接；关闭后不会再显示。{who}',
    en: 'The invitation for {name} was created. If it does not reach them, send this link yourself; it is not shown again. {who}',
  },
  onlyUser: { zh: '只有该用户可以使用它。', en: 'Only that user can use it.' },
  anyoneOnce: {
    zh: '任何拿到链接的人都可以用自己的账户加入，只能使用一次。',
    en: 'Anyone who has the link can join with their own account; it works once.',
  },
  madeAnyone: {
    zh: '把这个链接发给要邀请的人；关闭后不会再显示。{who}',
    en: 'Send this link to the person you invite; it is not shown again. {who}',
  },
  done: { zh: '完成', en: 'Done' },
});
