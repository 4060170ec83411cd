export { parseNetworks } from './networks.ts';
export { createResolver } from './resolver.ts';
export { ATTEMPTS_MAX, retryPauseMs } from './retry.ts';
export { createWebhookSender, type SendResult, type WebhookRequest } from './sender.ts';
export { createSecret, signatureHeaders } from './signature.ts';
export { type ReceiverPolicy, receiverUrlProblem } from './target.ts';
