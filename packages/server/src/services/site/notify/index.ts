export { adoptFormerPlace, type AlarmPlaces, alarmPlaceSeal, createAlarmPlaces } from './alarm-places.ts';
export { type Alarms, type AlarmSubject, createAlarms } from './alarms.ts';
export { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';
export { preferencesOf } from './destination.ts';
export { createMailer, isPermanentFailure, isRefusedForNow, type Mail, type Mailer } from './mailer.ts';
export { createNotifier, type EndingCredit, type Notifier, type SettledBalance } from './notifier.ts';
export { escapeHtml } from './templates.ts';
export { createWebhookSender, type WebhookSender } from './webhook.ts';
export { openSecret, sealSecret, webhookPlace } from './webhook-secret.ts';
