import { declarationOf, type SettingKey } from '@tollgate/contract';
import { ChatsEditor, pairsOf } from './chats-editor.tsx';
import { GroupRatioEditor, RateLimitGroupsEditor, UsableGroupsEditor } from './group-editors.tsx';
import type { Editor } from './types.ts';
import { looseValueOf, valueOf } from './value.ts';

/** Forms that only show what could be saved. */
const reads: Editor['reads'] = (draft, key) => valueOf(draft, key) !== undefined;

const editors: Partial<Record<string, Editor>> = {
  'custom:group-ratio': { Form: GroupRatioEditor, reads },
  'custom:usable-groups': { Form: UsableGroupsEditor, reads },
  'custom:rate-limit-groups': { Form: RateLimitGroupsEditor, reads },
  'custom:chats': {
    Form: ChatsEditor,
    reads: (draft, key) => pairsOf(looseValueOf(draft, key)) !== undefined,
  },
};

/** The hand-made editor a setting asks for; undefined for those that are well served by the field of their kind. */
export function editorOf(key: SettingKey): Editor | undefined {
  const { widget } = declarationOf(key);
  return widget === undefined ? undefined : editors[widget];
}
