#!/bin/sh
exec java ${KAFKA_HEAP_OPTS:--Xmx384m} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile=/opt/kafka/log4j2.properties -cp '/opt/kafka/libs/*' kafka.Kafka "$@"
