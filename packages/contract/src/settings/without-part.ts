/**
 * Settings whose part of Tollgate does not exist yet. They are kept and checked, so that a copied configuration loses
 * nothing, but they have no effect: the settings page leaves them out, a switch among them counts as off whatever is
 * stored and cannot be switched on. Anyone who builds the part removes its lines here.
 */
export const settingsWithoutPart: ReadonlySet<string> = new Set([
  // Sign-in through other sites.
  'GitHubOAuthEnabled',
  'GitHubClientId',
  'GitHubClientSecret',
  'LinuxDOOAuthEnabled',
  'LinuxDOClientId',
  'LinuxDOClientSecret',
  'oidc.enabled',
  'oidc.client_id',
  'oidc.client_secret',
  'oidc.well_known',
  'oidc.authorization_endpoint',
  'oidc.token_endpoint',
  'oidc.user_info_endpoint',
  'WeChatAuthEnabled',
  'WeChatServerAddress',
  'WeChatServerToken',
  'WeChatAccountQRCodeImageURL',
  'TelegramOAuthEnabled',
  'TelegramBotToken',
  'TelegramBotName',
  // Drawing and other tasks.
  'DrawingEnabled',
  'TaskEnabled',
  'MjNotifyEnabled',
  'MjAccountFilterEnabled',
  'MjForwardUrlEnabled',
  'MjModeClearEnabled',
  'MjActionCheckSuccessEnabled',
]);
