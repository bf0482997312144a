import type { ManagedUserData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import type { Question } from '../../../shared/confirm/question.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useManageUser } from '../base/queries.ts';
import { text } from '../base/text.ts';

type StateAction = 'enable' | 'disable' | 'promote' | 'demote' | 'deregister';

/** Wire name and success message of each action. */
const acts = {
  enable: { action: 'enable', done: text.nowEnabled },
  disable: { action: 'disable', done: text.nowDisabled },
  promote: { action: 'promote', done: text.nowAdmin },
  demote: { action: 'demote', done: text.nowCommon },
  deregister: { action: 'delete', done: text.nowDeleted },
} as const;

/** Changes a user's role or status: routine actions at once, serious ones after a confirmation. */
export function useUserActions(user: ManagedUserData) {
  const t = useTranslate();
  const confirm = useConfirm();
  const manage = useManageUser();
  const name = user.username;

  const questions: Partial<Record<StateAction, Question>> = {
    promote: {
      title: t(text.promoteTitle, { name }),
      body: t(text.promoteBody),
      action: t(text.promote),
    },
    demote: { title: t(text.demoteTitle, { name }), body: t(text.demoteBody), action: t(text.demote) },
    deregister: {
      title: t(text.deregisterTitle, { name }),
      body: t(text.deregisterBody),
      action: t(text.deregister),
      danger: true,
      typeToConfirm: name,
    },
  };
  const act = async (which: StateAction) => {
    const question = questions[which];
    if (question && !(await confirm(question))) return;
    const { action, done } = acts[which];
    try {
      await manage.mutateAsync({ id: user.id, action });
      // Not a callback of the mutation: the row may be unmounted by then.
      toast.good(t(done, { name }));
    } catch {
      // The mutation itself shows the error as a toast.
    }
  };
  return { act: (which: StateAction) => void act(which), isPending: manage.isPending };
}
