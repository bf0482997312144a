import type { AccessTokenScope } from '@tollgate/contract';
import type { Text } from '../../../lib/i18n.ts';
import { text } from '../base/text.ts';

/** Labels of the scopes of access tokens. */
export const scopeNames: Record<AccessTokenScope, Text> = {
  read: text.scopeRead,
  manage: text.scopeManage,
  scim: text.scopeScim,
  all: text.scopeAll,
};
