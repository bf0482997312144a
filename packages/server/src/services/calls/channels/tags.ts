import { AppError, channelStatus } from '@tollgate/contract';
import { abilities as abilityRows, channels as channelRows } from '../../../store/index.ts';
import { saveColumns } from './changes.ts';
import { differences } from '../../site/audit/index.ts';
import { changing, type ChannelsDeps, targetOf } from './deps.ts';
import { changedColumns } from './rows.ts';
import type { Channels, TagEdit } from './service.ts';

/** Calls that act on all channels of a tag. */
export function channelTags(deps: ChannelsDeps): Pick<Channels, 'setTag' | 'setTagStatus' | 'editTag'> {
  /** Makes one change to every channel of a tag, all or none. */
  const changeAll = (tag: string, change: Omit<TagEdit, 'tag'> & { status?: number }) => {
    if (tag.trim() === '') throw new AppError('channel_tag_empty');
    return changing(deps, async (db) => {
      for (const { id } of await channelRows.ofTags(db, [tag])) {
        const row = await channelRows.findLocked(db, id);
        if (!row) continue;
        const columns = changedColumns(
          row,
          {
            id,
            status: change.status,
            tag: change.newTag,
            priority: change.priority,
            weight: change.weight,
            model_mapping: change.modelMapping,
            models: change.models,
            group: change.groups,
          },
          deps,
        );
        await saveColumns(deps, db, row, columns);
      }
    });
  };

  return {
    setTag: (ids, tag) =>
      changing(deps, async (db) => {
        const name = tag?.trim() || null;
        for (const row of await channelRows.findLabels(db, ids)) {
          const changes = differences(row, { tag: name });
          await deps.audit.record(db, { target: targetOf(row), changes });
        }
        const changed = await channelRows.setTag(db, ids, name);
        await abilityRows.setTag(db, ids, name);
        return changed;
      }),
    setTagStatus: (tag, enabled) =>
      changeAll(tag, { status: enabled ? channelStatus.enabled : channelStatus.disabled }),
    editTag: ({ tag, ...change }) => changeAll(tag, change),
  };
}
