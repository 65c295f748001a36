package io.tributary.cli.verify;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections to one MySQL server. */
public interface SourceServer {
  /**
   * @return a connection that the caller closes
   */
  Connection connect() throws SQLException;
}
