import { texts } from '../../lib/i18n.ts';

export const text = texts({
  title: { zh: '系统初始化', en: 'System initialization' },
  lead: {
    zh: '三步，不到一分钟，以一次真实的调用结束。',
    en: 'Three steps, under a minute, ending with a real call.',
  },
  stepAccount: { zh: '管理员', en: 'Administrator' },
  stepMode: { zh: '使用模式', en: 'Usage mode' },
  stepCall: { zh: '第一次调用', en: 'First call' },
  sqlite: {
    zh: '您正在使用 SQLite。在容器中运行时请持久化数据目录；生产环境建议使用 MySQL 或 PostgreSQL。',
    en: 'You are using SQLite. In a container, keep the data directory on a volume; for production MySQL or PostgreSQL is recommended.',
  },
  rootExists: {
    zh: '管理员账户已经存在，请选择使用模式。',
    en: 'The administrator account already exists. Choose the usage mode.',
  },
  token: { zh: '初始化口令', en: 'Set-up token' },
  tokenHint: {
    zh: '服务器启动时打印的链接中 #token= 之后的部分；直接打开该链接就无需输入。',
    en: 'What follows #token= in the link that the server printed at startup; opening that link fills it in.',
  },
  tokenRequired: {
    zh: '请输入启动时打印的初始化口令',
    en: 'Please enter the set-up token printed at startup',
  },
  username: { zh: '用户名', en: 'Username' },
  usernameRequired: { zh: '请输入管理员用户名', en: 'Please enter the admin username' },
  usernameLong: { zh: '用户名不能超过 20 个字符', en: 'Username must have at most 20 characters' },
  password: { zh: '密码', en: 'Password' },
  passwordShort: { zh: '密码长度至少为 8 个字符', en: 'Password must be at least 8 characters long' },
  passwordAgain: { zh: '确认密码', en: 'Confirm password' },
  mismatch: { zh: '两次输入的密码不一致', en: 'The two passwords entered do not match' },
  next: { zh: '下一步', en: 'Next' },
  back: { zh: '上一步', en: 'Back' },
  moveIn: { zh: '从其他网关迁入', en: 'Move in from another gateway' },
  source: { zh: '原网关的数据库', en: 'Database of the old gateway' },
  sourceHint: {
    zh: 'new-api、one-api、one-hub、done-hub、sub2api 或 LiteLLM：数据库地址，或服务器上的 SQLite 文件。',
    en: 'Its address, or its SQLite file here: new-api, one-api, one-hub, done-hub, sub2api or LiteLLM.',
  },
  sourceRequired: { zh: '请输入数据库地址', en: 'Please enter the address of the database' },
  credit: { zh: '初始额度（美元）', en: 'Credit (US dollars)' },
  creditHint: {
    zh: '仅用于 LiteLLM：它没有余额，每个付款方以此额度开始。',
    en: 'Only for LiteLLM, which has no balances: everybody who pays starts with it.',
  },
  sourceKey: { zh: '加密密钥', en: 'Encryption key' },
  sourceKeyHint: {
    zh: 'LiteLLM 的 LITELLM_SALT_KEY，或 sub2api 的 TOTP_ENCRYPTION_KEY。',
    en: 'LITELLM_SALT_KEY of LiteLLM, or TOTP_ENCRYPTION_KEY of sub2api.',
  },
  rehearse: { zh: '试运行', en: 'Rehearse' },
  report: { zh: '试运行的报告', en: 'Report of the rehearsal' },
  thenImport: {
    zh: '未写入任何数据。请停止原网关和本服务器，然后运行下面的命令（密钥通过环境变量提供）。',
    en: 'Nothing was written. Stop the old gateway and this server, then run the command, with keys as variables.',
  },
  command: { zh: '迁入命令', en: 'Command of the import' },
  modeHint: { zh: '以后可以在系统设置中更改。', en: 'It can be changed later in the settings.' },
  external: { zh: '对外运营模式', en: 'External operation' },
  externalHint: {
    zh: '为多位用户提供服务：用户注册、充值，按模型价格计费。',
    en: 'Serve many people: they sign up, top up and are billed by model prices.',
  },
  selfUse: { zh: '自用模式', en: 'Self-use' },
  selfUseHint: {
    zh: '只为自己或团队使用：不必设置每个模型的价格，注册入口隐藏。',
    en: 'For yourself or a team: models do not need a price, and sign-up is hidden.',
  },
  demo: { zh: '演示站点模式', en: 'Demo site' },
  demoHint: {
    zh: '展示功能，界面上会有标记。',
    en: 'For showing what the site can do; its pages are marked as a demo.',
  },
  sandbox: { zh: '创建沙盒渠道和令牌', en: 'Create a sandbox channel and a key' },
  sandboxHint: {
    zh: '内置的模拟供应商，无需厂商密钥即可完成第一次调用，可随时删除。',
    en: 'A simulated provider, so that the first call works without a vendor’s key; delete it at any time.',
  },
  submit: { zh: '初始化系统', en: 'Initialize the system' },
  done: { zh: '系统初始化成功', en: 'The system is ready' },
  doneHint: {
    zh: '下面的盒子用新令牌发出一次真实的调用：经过网关、计量、扣费、记入日志。',
    en: 'The box below makes a real call with the new key: relayed, metered, billed and logged.',
  },
  yourKey: { zh: '令牌', en: 'Key' },
  sandboxMark: { zh: '沙盒', en: 'Sandbox' },
  charged: {
    zh: '第一次调用已完成并计费。',
    en: 'The first call was made and billed.',
  },
  receipt: { zh: '在使用日志中查看收据', en: 'View its receipt' },
  toConsole: { zh: '进入控制台', en: 'Open the console' },
  noSandbox: {
    zh: '接下来添加一个渠道，然后创建令牌。',
    en: 'Next, add a channel, then create a key.',
  },
  failed: { zh: '系统初始化失败，请重试', en: 'System initialization failed, please retry' },
  statusFailed: { zh: '获取初始化状态失败', en: 'Failed to get initialization status' },
});
