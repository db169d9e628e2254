"""Keep ownership in the descriptions of services of AWS Cloud Map (docs/spec/plan.md 3.4).

The provider `aws-sd` shows a description as a TXT record at the name of its service. So an ownership record has the
name of the records that it covers, and is written with the service in one call.
"""
