package io.tributary.localstack.server;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStore.HMSHandler;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.RetryingHMSHandler;
import org.apache.hadoop.hive.metastore.TSetIpAddressProcessor;
import org.apache.hadoop.hive.metastore.txn.TxnDbUtil;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Hive metastore on 127.0.0.1 with an embedded Derby database. It opens its port only after the
 * database has answered, so an open port means ready.
 */
public final class MetastoreMain {

  private static final Logger LOG = LoggerFactory.getLogger(MetastoreMain.class);
  private static final int MIN_THREADS = 4;
  private static final int MAX_THREADS = 200;

  private MetastoreMain() {}

  /**
   * @param args port, warehouse folder as URI, database folder, and settings as {@code NAME=VALUE}
   *     that replace our own; or {@code --make-database} and the database folder, which makes an
   *     empty database there and ends
   */
  public static void main(String[] args) throws Exception {
    if (args.length == 2 && args[0].equals("--make-database")) {
      Path database = Path.of(args[1]);
      handler(configuration("file:///nowhere", database), database).get_all_databases();
      shutDown(database);
      return;
    }
    if (args.length < 3) {
      throw new IllegalArgumentException(
          "Cannot start the metastore: expected PORT WAREHOUSE DATABASE [NAME=VALUE ...], found %d arguments"
              .formatted(args.length));
    }
    int port = Integer.parseInt(args[0]);
    Path database = Path.of(args[2]);
    HiveConf conf = configuration(args[1], database);
    for (String setting : Arrays.asList(args).subList(3, args.length)) {
      String[] parts = setting.split("=", 2);
      conf.set(parts[0], parts[1]);
    }
    IHMSHandler handler = handler(conf, database);
    LOG.info("Databases: {}", handler.get_all_databases());

    TThreadPoolServer server =
        new TThreadPoolServer(
            new TThreadPoolServer.Args(new TServerSocket(new InetSocketAddress("127.0.0.1", port)))
                .processor(new TSetIpAddressProcessor<>(handler))
                .transportFactory(new TTransportFactory())
                .protocolFactory(new TBinaryProtocol.Factory())
                .minWorkerThreads(MIN_THREADS)
                .maxWorkerThreads(MAX_THREADS));
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.stop();
                  shutDown(database);
                }));
    LOG.info("Metastore answers at 127.0.0.1:{}", port);
    server.serve();
  }

  private static IHMSHandler handler(HiveConf conf, Path database) throws Exception {
    boolean fresh = !Files.exists(database.resolve("service.properties"));
    IHMSHandler handler = RetryingHMSHandler.getProxy(conf, newHandler(conf), true);
    if (fresh) {
      // DataNucleus knows nothing of the lock and transaction tables.
      TxnDbUtil.prepDb(conf);
    }
    return handler;
  }

  private static HMSHandler newHandler(HiveConf conf) throws Exception {
    return new HMSHandler("metastore", conf, false);
  }

  private static HiveConf configuration(String warehouse, Path database) {
    HiveConf conf = new HiveConf();
    conf.set("hive.metastore.uris", "");
    conf.set("hive.metastore.warehouse.dir", warehouse);
    conf.set(
        "javax.jdo.option.ConnectionURL", "jdbc:derby:;databaseName=" + database + ";create=true");
    conf.set("javax.jdo.option.ConnectionDriverName", "org.apache.derby.jdbc.EmbeddedDriver");
    conf.set("datanucleus.connectionPoolingType", "DBCP");
    conf.set("datanucleus.schema.autoCreateAll", "true");
    conf.set("hive.metastore.schema.verification", "false");
    conf.set("hive.metastore.expression.proxy", PartitionExpressions.class.getName());
    // Iceberg's commits without locks compare a table parameter while they alter it; that needs it.
    conf.set("hive.metastore.try.direct.sql", "true");
    // Iceberg changes columns in ways that Hive's own tables could not.
    conf.set("hive.metastore.disallow.incompatible.col.type.changes", "false");
    return conf;
  }

  private static void shutDown(Path database) {
    try {
      DriverManager.getConnection("jdbc:derby:;databaseName=" + database + ";shutdown=true");
    } catch (SQLException e) {
      // Derby reports a finished shutdown this way, too.
      LOG.info("Derby: {}", e.getMessage());
    }
  }
}
