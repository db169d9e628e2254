"""The provider `webhook`, from its flags."""

from __future__ import annotations

from typing import Final

from extdns.flags.secret_files import read_url
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec, report_unknown
from providers.webhook.flags import WebhookFlags, check_address
from providers.webhook.settings import WebhookSettings


def build(context: ProviderContext[WebhookFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.webhook.provider import WebhookReader, WebhookWriter, WebhookZones

    zones = WebhookZones(build_settings(context))
    return DnsService(WebhookReader(zones), WebhookWriter(zones))


def build_settings(context: ProviderContext[WebhookFlags]) -> WebhookSettings:
    """Return the settings of the provider."""
    flags = context.flags
    url = read_url("webhook-provider-url", flags.webhook_provider_url, flags.webhook_provider_url_file)
    if flags.webhook_provider_url_file:
        check_address(url, "the content of --webhook-provider-url-file")
    return WebhookSettings(
        url=url,
        timeout_s=flags.webhook_provider_read_timeout_s + flags.webhook_provider_write_timeout_s,
        max_body_bytes=flags.webhook_provider_max_body_size,
        domains=context.plan.build_domain_filter().include,
        calls=context.calls,
    )


PROVIDER: Final = ProviderSpec(
    name="webhook",
    flags=WebhookFlags,
    build=build,
    check_permissions=lambda _, zones: report_unknown("the webhook protocol", zones),
    describe_permissions=lambda *_: "none: the webhook provider has the credentials of its service; see its manual",
    properties=("webhook/",),
    optional_properties=lambda flags: flags.webhook_provider_properties,
    conditional=False,
    remedies={
        "Webhook negotiate: cannot connect": "start the webhook provider, or correct --webhook-provider-url",
    },
)
