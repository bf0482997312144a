import { texts } from '../../../lib/i18n.ts';

/** Texts of the OpenID and SAML providers that root adds. */
export const providerText = texts({
  title: { zh: '更多 OpenID 与 SAML 登录方式', en: 'More OpenID and SAML providers' },
  hint: {
    zh: '可添加任意多个，各有自己的名称与图标，显示在登录页和个人设置中。',
    en: 'Add any number, each with its own name and logo on the login page and in personal settings.',
  },
  none: { zh: '还没有添加', en: 'None yet' },
  add: { zh: '添加登录方式', en: 'Add a provider' },
  addTitle: { zh: '添加登录方式', en: 'Add a provider' },
  editTitle: { zh: '编辑 {name}', en: 'Edit {name}' },
  save: { zh: '保存', en: 'Save' },
  saved: { zh: '保存成功', en: 'Saved' },
  edit: { zh: '编辑 {name}', en: 'Edit {name}' },
  remove: { zh: '删除 {name}', en: 'Delete {name}' },
  switchOn: { zh: '启用 {name}', en: 'Enable {name}' },
  bindings: {
    zh: '已绑定 {count} 个账户',
    en: { one: '{count} account bound', other: '{count} accounts bound' },
  },
  removeTitle: { zh: '删除“{name}”？', en: 'Delete “{name}”?' },
  removeUnused: {
    zh: '没有账户绑定它，删除后登录页不再显示它的按钮。',
    en: 'No account is bound to it. Its button disappears from the login page.',
  },
  removeBound: {
    zh: '已有 {count} 个账户绑定，这些绑定会一并删除，即使以后重新添加也不会恢复。',
    en: {
      one: '{count} account is bound to it. The binding is deleted with it and does not come back when the provider is added again.',
      other:
        '{count} accounts are bound to it. The bindings are deleted with it and do not come back when the provider is added again.',
    },
  },
  removeOnlyWay: {
    zh: '其中 {count} 个账户没有其他登录方式，将无法再登录。只想暂停使用请改为停用。',
    en: {
      one: '{count} of them has no other way in and is locked out. To pause it, switch it off instead.',
      other: '{count} of them have no other way in and are locked out. To pause it, switch it off instead.',
    },
  },
  removeAction: { zh: '删除', en: 'Delete' },
  removed: { zh: '已删除', en: 'Deleted' },

  button: { zh: '按钮', en: 'Button' },
  name: { zh: '名称', en: 'Name' },
  nameHint: { zh: '显示在登录按钮上', en: 'Shown on the login button' },
  slug: { zh: '标识', en: 'Short name' },
  slugHint: {
    zh: '用于回调地址，添加后不能修改',
    en: 'Part of the redirect address; it cannot be changed later',
  },
  logo: { zh: '图标', en: 'Logo' },
  logoHint: {
    zh: 'https 地址或 data:image 图片，留空使用默认图标',
    en: 'An https address or a data:image; leave empty for a default icon',
  },
  position: { zh: '顺序', en: 'Order' },
  positionHint: { zh: '数字小的在前', en: 'Smaller numbers come first' },
  provider: { zh: '服务商', en: 'Provider' },
  kind: { zh: '协议', en: 'Protocol' },
  samlAddress: { zh: '实体 ID、ACS 与元数据地址', en: 'Entity ID, ACS and metadata address' },
  samlAddressHint: {
    zh: '三者是同一个地址；请在服务商处导入或填写',
    en: 'All three are this address: import or enter it at the provider',
  },
  metadata: { zh: '服务商的元数据地址', en: 'Address of the provider’s metadata' },
  metadataHint: {
    zh: '登录页、签名证书与实体 ID 取自这里',
    en: 'Log-in page, certificates and entity ID are read from it',
  },
  email: { zh: '邮箱属性', en: 'Attribute of the email' },
  person: { zh: '姓名属性', en: 'Attribute of the name' },
  groups: { zh: '分组属性', en: 'Attribute of the groups' },
  attributeHint: { zh: '留空则使用常用名称', en: 'Leave empty for the usual names.' },
  redirect: { zh: '回调地址', en: 'Redirect address' },
  redirectHint: {
    zh: '请填写到服务商的应用设置中',
    en: 'Enter it in the application settings at the provider',
  },
  redirectEmpty: { zh: '请先填写标识', en: 'Enter the short name first' },
  wellKnown: { zh: '发现地址', en: 'Discovery address' },
  wellKnownHint: {
    zh: '签发者（Issuer）或 …/.well-known/openid-configuration',
    en: 'The issuer, or …/.well-known/openid-configuration',
  },
  clientId: { zh: 'Client ID', en: 'Client ID' },
  clientSecret: { zh: 'Client Secret', en: 'Client secret' },
  secretKept: {
    zh: '留空则不修改；更改地址后需要重新填写',
    en: 'Leave empty to keep it; needed again when the address changes',
  },
  scopes: { zh: '权限范围', en: 'Scopes' },
  scopesHint: { zh: '以空格分隔，必须包含 openid', en: 'Separated by spaces; openid must be among them' },
  enabled: { zh: '启用', en: 'Enabled' },
  required: { zh: '请填写此项', en: 'Please fill this in' },

  test: { zh: '测试', en: 'Test' },
  testHint: {
    zh: '读取发现文档并检查密钥，不会保存',
    en: 'Reads the discovery document and checks the secret; nothing is saved',
  },
  samlTestHint: { zh: '读取元数据，不会保存', en: 'Reads the metadata; nothing is saved' },
  found: { zh: '可以使用', en: 'This works' },
  issuer: { zh: '签发者', en: 'Issuer' },
  loginPage: { zh: '登录页', en: 'Log-in page' },
  client: { zh: '密钥', en: 'Secret' },
  accepted: { zh: '已被接受', en: 'Accepted' },
  refused: {
    zh: '密钥被拒绝，请检查 Client ID 与 Secret',
    en: 'The secret was refused: check client ID and secret',
  },
  unknown: { zh: '未能确认', en: 'Could not be determined' },
  scopesUnknown: {
    zh: '服务商没有列出这些权限范围：{scopes}',
    en: 'The provider does not list these scopes: {scopes}',
  },
});
