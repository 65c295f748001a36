package io.tributary.localstack;

import java.nio.file.Path;

/** Writes the logging configurations of the services. */
final class ServiceLogging {

  private ServiceLogging() {}

  /** Logs of Kafka, ZooKeeper and the metastore go to standard output, which the guard appends. */
  static Path writeForServices(StackFolder folder) {
    Path file = folder.conf().resolve("services-log4j2.properties");
    StackFolder.write(
        file,
        """
        status = error
        appender.out.type = Console
        appender.out.name = out
        appender.out.layout.type = PatternLayout
        appender.out.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c{1} - %m%n
        rootLogger.level = INFO
        rootLogger.appenderRef.out.ref = out
        logger.hive.name = org.apache.hadoop.hive
        logger.hive.level = WARN
        logger.datanucleus.name = DataNucleus
        logger.datanucleus.level = ERROR
        logger.hadoop.name = org.apache.hadoop.util
        logger.hadoop.level = ERROR
        """);
    return file;
  }

  /** Flink's processes log to the file of the system property log.file; the web UI shows it. */
  static Path writeForFlink(Path conf) {
    Path file = conf.resolve("log4j.properties");
    StackFolder.write(
        file,
        """
        status = error
        monitorInterval = 30
        appender.main.type = RollingFile
        appender.main.name = main
        appender.main.append = true
        appender.main.fileName = ${sys:log.file}
        appender.main.filePattern = ${sys:log.file}.%i
        appender.main.layout.type = PatternLayout
        appender.main.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %-60c %x - %m%n
        appender.main.policies.type = Policies
        appender.main.policies.size.type = SizeBasedTriggeringPolicy
        appender.main.policies.size.size = 100MB
        appender.main.strategy.type = DefaultRolloverStrategy
        appender.main.strategy.max = 5
        rootLogger.level = INFO
        rootLogger.appenderRef.main.ref = main
        logger.pekko.name = org.apache.pekko
        logger.pekko.level = INFO
        logger.kafka.name = org.apache.kafka
        logger.kafka.level = WARN
        logger.kafkaAppInfo.name = org.apache.kafka.common.utils.AppInfoParser
        logger.kafkaAppInfo.level = ERROR
        logger.hadoop.name = org.apache.hadoop
        logger.hadoop.level = WARN
        logger.zookeeper.name = org.apache.zookeeper
        logger.zookeeper.level = WARN
        logger.shadedzookeeper.name = org.apache.flink.shaded.zookeeper3
        logger.shadedzookeeper.level = WARN
        """);
    return file;
  }
}
