import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleQuestionMark } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { pageTitles, text } from '../text.ts';

/** What a user reads rather than uses: the reference, the documentation, the public pages of the site. */
export function HelpMenu() {
  const t = useTranslate();
  const docs = useStatus()?.docs_link;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={34} aria-label={t(text.help)}>
          <CircleQuestionMark size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/docs/api">
          {t(pageTitles.reference)}
        </Menu.Item>
        {docs && (
          <Menu.Item component="a" href={docs} target="_blank" rel="noreferrer">
            {t(text.docs)}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to="/">
          {t(text.siteHome)}
        </Menu.Item>
        <Menu.Item component={Link} to="/about">
          {t(pageTitles.about)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
