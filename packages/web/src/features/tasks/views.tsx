import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { text } from './base/text.ts';

/** The views of pictures and tasks on this site; hidden if there is only one. */
export function Views({ open }: { open: '/gallery' | '/midjourney' | '/task' }) {
  const t = useTranslate();
  const status = useStatus();
  const views = [
    { path: '/gallery', title: text.gallery, has: true },
    { path: '/midjourney', title: text.drawings, has: status?.enable_drawing },
    { path: '/task', title: text.tasks, has: status?.enable_task },
  ].filter(({ path, has }) => has || path === open);
  return (
    <Group component="nav" gap={6} aria-label={t(text.views)}>
      {views.map(({ path, title }) => (
        <Button
          key={path}
          renderRoot={(props) => <Link to={path} {...props} />}
          size="xs"
          variant={path === open ? 'light' : 'default'}
        >
          {t(title)}
        </Button>
      ))}
    </Group>
  );
}
